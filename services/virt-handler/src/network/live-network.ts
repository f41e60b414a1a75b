import type { ClusterConfig } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import { errorMessage } from '@yagura/runtime';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { VmiEvents } from '../vmi/events.ts';
import type { Preparation } from '../vmi/preparation.ts';
import { CALL_PATIENCE_MS, isActive, type Target } from '../vmi/target.ts';
import { vmiMessage } from '../vmi/volume-options.ts';
import { pendingInterfaces, unpluggedInterfaces } from './pending.ts';

/** A guest may take its time to let go of a device. */
const RETRY_MS = 10_000;
const SYNC_TIMEOUT_MS = 45_000;

/** What has been tried to bring the interfaces of a running domain to its spec. */
export interface NetworkAttempt {
  /** What was to be changed then. */
  changes: string;
  at: number;
  problem: string | undefined;
}

export interface LiveNetworkParts {
  preparation: Pick<Preparation, 'network' | 'removeNetwork'>;
  events: Pick<VmiEvents, 'interfacesChanged' | 'syncFailed'>;
  config: () => ClusterConfig;
  now?: () => number;
}

export interface NetworkOutcome {
  /** Why the interfaces are not as the spec has them. */
  problem?: string | undefined;
  /** When to look again. */
  afterMs?: number;
}

/** Plugs interfaces into running domains and out of them, and moves links, as their specs change. */
export class LiveNetwork {
  readonly #parts: LiveNetworkParts;

  constructor(parts: LiveNetworkParts) {
    this.#parts = parts;
  }

  async follow(target: Target, link: LauncherLink, domain: Domain): Promise<NetworkOutcome> {
    const { vmi, memory, context } = target;
    const { events } = this.#parts;
    if (!isActive(domain) || vmi.metadata.deletionTimestamp !== undefined) return {};
    const now = (this.#parts.now ?? Date.now)();
    const left = await this.#leave(target, domain, now);
    if (left.problem !== undefined) return left;
    const changes = pendingInterfaces(vmi, domain).join(', ');
    const last = memory.network?.changes === changes ? memory.network : undefined;
    if (changes === '') {
      memory.network = undefined;
      memory.calls.forget(kindOf(target));
      return {};
    }
    if (last !== undefined && now - last.at < RETRY_MS && !memory.calls.isRunning(kindOf(target))) {
      return { problem: last.problem, afterMs: RETRY_MS - (now - last.at) };
    }
    const attempt: NetworkAttempt = { changes, at: now, problem: last?.problem };
    try {
      const work = async () => this.#apply(target, link);
      if (!(await memory.calls.ended(kindOf(target), CALL_PATIENCE_MS, work, changes))) {
        return { problem: attempt.problem, afterMs: 1_000 };
      }
      attempt.problem = undefined;
      events.interfacesChanged(vmi, changes);
    } catch (error) {
      if (context.signal.aborted) throw error;
      attempt.problem = errorMessage(error);
      if (attempt.problem !== last?.problem) events.syncFailed(vmi, attempt.problem);
    }
    memory.network = attempt;
    return { problem: attempt.problem, afterMs: RETRY_MS };
  }

  /** Before the status tells that the device is gone: then the network is taken from the pod, under the CNI's own name. */
  async #leave({ vmi, pod, memory, context }: Target, domain: Domain, now: number): Promise<NetworkOutcome> {
    const gone = unpluggedInterfaces(vmi, domain);
    if (gone.length === 0) return {};
    const plugged = new Set(domain.interfaces.map(({ name }) => name));
    try {
      await this.#parts.preparation.removeNetwork(vmi, pod, plugged, context.signal);
      return {};
    } catch (error) {
      if (context.signal.aborted) throw error;
      const problem = errorMessage(error);
      if (memory.network?.problem !== problem) this.#parts.events.syncFailed(vmi, problem);
      memory.network = { changes: `without ${gone.join(', ')}`, at: now, problem };
      return { problem, afterMs: RETRY_MS };
    }
  }

  async #apply({ vmi, pod }: Target, link: LauncherLink): Promise<void> {
    // The run that begins it may be over before it ends, and its signal with it.
    const signal = AbortSignal.timeout(SYNC_TIMEOUT_MS);
    const attachments = await this.#parts.preparation.network(vmi, pod, signal);
    const request = {
      vmi: vmiMessage(vmi),
      options: { useEmulation: this.#parts.config().useEmulation, interfaces: attachments },
    };
    const { domain, problems } = await link.calls.syncInterfaces(request, { timeoutMs: SYNC_TIMEOUT_MS, signal });
    link.take(domain);
    if (problems.length > 0) {
      throw new Error(problems.map((problem) => `interface ${problem.interface}: ${problem.message}`).join('; '));
    }
  }
}

function kindOf({ pod }: Target): string {
  return `interfaces ${pod.metadata.uid}`;
}
