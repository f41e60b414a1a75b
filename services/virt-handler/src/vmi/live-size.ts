import { type ClusterConfig, podGrowth } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import { type Following, type FollowOutcome, followByCall, followed } from './follow-by-call.ts';
import { missingCpus, plugCpus } from './live-cpus.ts';
import { missingMemory, plugMemory } from './live-memory.ts';
import { isActive, type Target } from './target.ts';

/** What became of each size of a guest that was to grow. */
export interface SizeOutcome {
  cpus: FollowOutcome;
  memory: FollowOutcome;
}

/** Gives running guests the CPUs and the memory that their specs have come to ask for, once their pods may use them. */
export class LiveSize {
  readonly #config: () => ClusterConfig;
  readonly #now: () => number;

  constructor(config: () => ClusterConfig, now: () => number = Date.now) {
    this.#config = config;
    this.#now = now;
  }

  async follow(target: Target, domain: Domain): Promise<SizeOutcome> {
    const { vmi } = target;
    if (!isActive(domain) || vmi.metadata.deletionTimestamp !== undefined) return { cpus: {}, memory: {} };
    return {
      cpus: await this.#follow(target, missingCpus(vmi, domain) > 0, plugCpus(target)),
      memory: await this.#follow(target, missingMemory(vmi, domain) > 0n, plugMemory(target)),
    };
  }

  async #follow(target: Target, isMissing: boolean, following: Following): Promise<FollowOutcome> {
    const { vmi, pod } = target;
    if (!isMissing) {
      followed(target, following.kind);
      return {};
    }
    // What keeps the pod from growing virt-controller tells; the pod's status wakes us.
    if (podGrowth(vmi, pod, this.#config()).kind !== 'done') return {};
    return followByCall(target, following, this.#now());
  }
}
