import { type VirtualMachineInstance, vcpus } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import type { Following } from './follow-by-call.ts';
import type { Target } from './target.ts';
import { vmiMessage } from './volume-options.ts';

const TIMEOUT_MS = 45_000;

/** CPUs of the spec that the domain does not have; 0 where it does not say how many it has. */
export function missingCpus({ spec }: VirtualMachineInstance, { cpus }: Pick<Domain, 'cpus'>): number {
  return cpus === undefined ? 0 : vcpus(spec) - cpus.sockets * cpus.cores * cpus.threads;
}

/** The call that gives a guest the CPUs of its spec. */
export function plugCpus({ vmi, link }: Target): Following {
  const call = async () => {
    const answer = await link?.calls.syncVirtualMachineCpus({ vmi: vmiMessage(vmi) }, { timeoutMs: TIMEOUT_MS });
    link?.take(answer?.domain);
  };
  return { kind: 'cpus', wanted: String(vcpus(vmi.spec)), call, since: 'CPUs could be plugged in' };
}
