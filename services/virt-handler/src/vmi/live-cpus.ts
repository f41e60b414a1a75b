import { type ClusterConfig, podGrowth, type VirtualMachineInstance, vcpus } from '@yagura/api';
import { type Domain, RpcError, Status } from '@yagura/contracts';
import { CALL_PATIENCE_MS, isActive, type Target } from './target.ts';
import { vmiMessage } from './volume-options.ts';

/** Whatever libvirt had against it, it may have no more. */
const RETRY_MS = 10_000;
const CALL_TIMEOUT_MS = 45_000;
/** Said by a guest that ends, or by a launcher that comes back. */
const PASSING: readonly Status[] = [Status.FAILED_PRECONDITION, Status.UNAVAILABLE];

/** What was tried last to give a running guest the CPUs of its spec. */
export interface CpuAttempt {
  wanted: number;
  at: number;
  problem: string | undefined;
}

export interface CpuOutcome {
  /** Why the guest does not have them. */
  problem?: string | undefined;
  /** When to look again. */
  afterMs?: number;
}

/** Gives running guests the CPUs that their specs have come to ask for, once their pods may use them. */
export class LiveCpus {
  readonly #config: () => ClusterConfig;
  readonly #now: () => number;

  constructor(config: () => ClusterConfig, now: () => number = Date.now) {
    this.#config = config;
    this.#now = now;
  }

  async follow(target: Target, domain: Domain): Promise<CpuOutcome> {
    const { vmi, pod, memory } = target;
    const kind = `cpus ${pod.metadata.uid}`;
    if (!isActive(domain) || vmi.metadata.deletionTimestamp !== undefined) return {};
    if (missingCpus(vmi, domain) <= 0) {
      memory.cpus = undefined;
      memory.calls.forget(kind);
      return {};
    }
    // What keeps the pod from growing virt-controller tells; the pod's status wakes us.
    if (podGrowth(vmi, pod, this.#config()).kind !== 'done') return {};
    const wanted = vcpus(vmi.spec);
    const last = memory.cpus?.wanted === wanted ? memory.cpus : undefined;
    const at = this.#now();
    if (last !== undefined && at - last.at < RETRY_MS && !memory.calls.isRunning(kind)) {
      return { problem: last.problem, afterMs: RETRY_MS - (at - last.at) };
    }
    try {
      const ended = await memory.calls.ended(kind, CALL_PATIENCE_MS, async () => this.#call(target), String(wanted));
      if (!ended) return { problem: last?.problem, afterMs: 1_000 };
      memory.cpus = { wanted, at, problem: undefined };
      return {};
    } catch (error) {
      const { code, message } = RpcError.from(error);
      if (PASSING.includes(code)) return { problem: last?.problem, afterMs: 1_000 };
      const older = 'the launcher of this guest is from before CPUs could be plugged in: restart the guest';
      memory.cpus = { wanted, at, problem: code === Status.UNIMPLEMENTED ? older : message };
      return { problem: memory.cpus.problem, afterMs: RETRY_MS };
    }
  }

  async #call({ vmi, link }: Target): Promise<void> {
    const request = { vmi: vmiMessage(vmi) };
    const answer = await link?.calls.syncVirtualMachineCpus(request, { timeoutMs: CALL_TIMEOUT_MS });
    link?.take(answer?.domain);
  }
}

/** CPUs of the spec that the domain does not have; 0 where it does not say how many it has. */
export function missingCpus({ spec }: VirtualMachineInstance, { cpus }: Pick<Domain, 'cpus'>): number {
  return cpus === undefined ? 0 : vcpus(spec) - cpus.sockets * cpus.cores * cpus.threads;
}
