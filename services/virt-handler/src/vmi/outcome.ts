import { gracePeriodSeconds, type LauncherEnd, type LauncherOutcome, type VirtualMachineInstance } from '@yagura/api';
import { type DomainEnd, DomainOutcome } from '@yagura/contracts';

/** The reason of a run that was over before it began, as somebody wished. */
export const DELETED = 'Deleted';

/** The guest's kernel panicked. */
export const GUEST_PANICKED = 'GuestPanicked';

/** Reasons of an end that people call a crash. */
export const CRASHES: readonly string[] = [GUEST_PANICKED, 'QemuGone', 'GuestCrashed'];

/** How a run ended, for the status and for an event. */
export interface RunEnd {
  phase: 'Succeeded' | 'Failed';
  /** One word for `status.reason`; absent for an ordinary end. */
  reason: string | undefined;
  message: string;
}

/** Why a pod is taken away, or has ended, apart from what its containers did. */
export interface PodLoss {
  reason: string;
  message: string;
}

/** How the compute container ended. */
export interface ComputeEnd {
  exitCode: number;
  /** The kubelet's words, and the container's unless they are the launcher's. */
  message: string;
  /** What the launcher left; undefined when it left nothing that can be read. */
  lastWords: LauncherEnd | undefined;
}

/** What is known besides the end itself. */
export interface Circumstances {
  vmi: VirtualMachineInstance;
  loss: PodLoss | undefined;
}

type End = Pick<DomainEnd, 'outcome' | 'message' | 'podTerminating'>;

const OUTCOMES: Record<Exclude<LauncherOutcome, 'no-domain'>, DomainOutcome> = {
  shutdown: DomainOutcome.SHUTDOWN,
  panicked: DomainOutcome.PANICKED,
  'qemu-gone': DomainOutcome.QEMU_GONE,
  crashed: DomainOutcome.CRASHED,
  destroyed: DomainOutcome.DESTROYED,
  migrated: DomainOutcome.MIGRATED,
  failed: DomainOutcome.FAILED,
  unobserved: DomainOutcome.UNOBSERVED,
};

/** The pod went, or goes, without its instance having been asked to end; why is told as well as it is known. */
function unwanted(podTerminating: boolean, { vmi, loss }: Circumstances): PodLoss | undefined {
  if (vmi.metadata.deletionTimestamp !== undefined) return undefined;
  if (loss !== undefined) return loss;
  return podTerminating
    ? { reason: 'LauncherPodTerminated', message: 'its launcher pod was told to end by the node' }
    : undefined;
}

/** Whether the node ends the pod for a reason of its own, which stands in the pod's status only once the pod has ended. */
export function lossIsToCome(podTerminating: boolean, { vmi, loss }: Circumstances): boolean {
  return podTerminating && loss === undefined && vmi.metadata.deletionTimestamp === undefined;
}

/**
 * The end of a run from the end of its domain; undefined when the domain lives on elsewhere. A guest that had to be
 * destroyed after its grace period failed to obey; one that was never given any did not.
 */
export function endOfDomain(end: End, circumstances: Circumstances): RunEnd | undefined {
  const { outcome, message } = end;
  const loss = unwanted(end.podTerminating, circumstances);
  switch (outcome) {
    case DomainOutcome.SHUTDOWN:
      if (loss) return failed(loss.reason, `the guest was shut down: ${loss.message}`);
      return { phase: 'Succeeded', reason: undefined, message: message || 'the guest shut down' };
    case DomainOutcome.DESTROYED:
      if (loss) return failed(loss.reason, `the guest was stopped: ${loss.message}`);
      return destroyed(circumstances.vmi, message);
    case DomainOutcome.MIGRATED:
      return undefined;
    case DomainOutcome.PANICKED:
      return failed(GUEST_PANICKED, message || "the guest's kernel panicked");
    case DomainOutcome.QEMU_GONE:
      return failed('QemuGone', message || 'QEMU crashed or was killed');
    case DomainOutcome.CRASHED:
      return failed('GuestCrashed', message || 'QEMU or the guest crashed');
    case DomainOutcome.FAILED:
      return failed('DomainStartFailed', message || 'the domain could not be started');
    case DomainOutcome.UNOBSERVED:
      return failed('DomainEndedUnobserved', message || 'the domain ended while nobody looked');
    default:
      return failed('DomainEnded', message || 'the domain ended in an unknown way');
  }
}

function destroyed(vmi: VirtualMachineInstance, message: string): RunEnd {
  const acpi = vmi.spec.domain.features?.acpi?.enabled ?? true;
  const text = message || 'the domain was destroyed';
  if (acpi && gracePeriodSeconds(vmi.spec) > 0) return failed('DomainDestroyed', text);
  return { phase: 'Succeeded', reason: undefined, message: text };
}

function failed(reason: string, message: string): RunEnd {
  return { phase: 'Failed', reason, message };
}

/** The end of a run that we did not see ourselves, from what the launcher left; undefined as for a domain. */
export function endOfLauncher(compute: ComputeEnd, circumstances: Circumstances): RunEnd | undefined {
  const { lastWords, exitCode } = compute;
  if (lastWords === undefined) return endInSilence(compute, circumstances);
  if (lastWords.outcome !== 'no-domain') {
    return endOfDomain({ ...lastWords, outcome: OUTCOMES[lastWords.outcome] }, circumstances);
  }
  if (circumstances.vmi.metadata.deletionTimestamp !== undefined) {
    return failed(DELETED, 'the instance was deleted before its guest ran');
  }
  const loss = unwanted(lastWords.podTerminating, circumstances);
  if (loss) return failed(loss.reason, `the guest did not run yet: ${loss.message}`);
  return failed('LauncherFailed', `the launcher ended with exit code ${exitCode}: ${lastWords.message}`);
}

/** Not a word of the domain: no exit code makes that a success. */
function endInSilence({ exitCode, message }: ComputeEnd, circumstances: Circumstances): RunEnd {
  const loss = unwanted(false, circumstances);
  if (loss) return failed(loss.reason, `how the guest ended is not known: ${loss.message}`);
  const detail = message === '' ? '' : ` (${message})`;
  const code = `the launcher ended with exit code ${exitCode}${detail}`;
  if (exitCode !== 0) return failed('LauncherFailed', code);
  return failed('LauncherEndUnknown', `${code} and left no word of how its guest ended`);
}

/** The end of a run whose pod is over and shows no containers any more. */
export function endOfPod({ vmi, loss }: Circumstances): RunEnd {
  const reason = vmi.metadata.deletionTimestamp === undefined ? loss?.reason : undefined;
  const detail = loss === undefined ? '' : `: ${loss.message}`;
  return failed(reason ?? 'LauncherEndUnknown', `the launcher pod is over and shows no containers${detail}`);
}
