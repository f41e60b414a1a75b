import { guestMemory, type VirtualMachineInstance } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import type { Following } from './follow-by-call.ts';
import type { Target } from './target.ts';
import { vmiMessage } from './volume-options.ts';

const TIMEOUT_MS = 45_000;

/** Bytes of the spec that the domain has not been asked for; 0 where it does not say how much it has. */
export function missingMemory({ spec }: VirtualMachineInstance, { memory }: Pick<Domain, 'memory'>): bigint {
  const wanted = guestMemory(spec);
  return memory === undefined || wanted === undefined ? 0n : wanted - memory.requestedBytes;
}

/** The call that offers a guest the memory of its spec. */
export function plugMemory({ vmi, link }: Target): Following {
  const call = async () => {
    const answer = await link?.calls.syncVirtualMachineMemory({ vmi: vmiMessage(vmi) }, { timeoutMs: TIMEOUT_MS });
    link?.take(answer?.domain);
  };
  return { kind: 'memory', wanted: String(guestMemory(vmi.spec)), call, since: 'memory could be plugged in' };
}
