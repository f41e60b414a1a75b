import { ANNOTATIONS, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, RpcError, Status } from '@yagura/contracts';
import type { LauncherLink } from '../launcher/launcher-link.ts';

const TIMEOUT_MS = 2_000;

/** Whether the instance asks for probes through its guest agent to be left out. */
function wantsSuspended(vmi: VirtualMachineInstance): boolean {
  return vmi.metadata.annotations?.[ANNOTATIONS.pauseGuestAgentProbes] === 'true';
}

/** Has the launcher follow the annotation of its instance, which may come and go while the guest runs. */
export async function followProbeAnnotation(
  vmi: VirtualMachineInstance,
  domain: Domain,
  { calls }: Pick<LauncherLink, 'calls'>,
): Promise<void> {
  const suspended = wantsSuspended(vmi);
  if (domain.guestProbesSuspended === suspended) return;
  await calls.suspendGuestProbes({ suspended }, { timeoutMs: TIMEOUT_MS }).catch((error: unknown) => {
    // A launcher from before there were such probes has none to suspend.
    if (RpcError.from(error).code !== Status.UNIMPLEMENTED) throw error;
  });
}
