import { LABELS } from '@yagura/api';
import {
  type Clock,
  type EventRecorder,
  isNotFound,
  type KubeClient,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { Nodes } from '../resources.ts';
import { heartbeatAge, isSchedulable, isUnresponsive } from './heartbeat.ts';
import { isLost } from './node-loss.ts';

/** A heartbeat is looked at so many times before it is too old. */
const LOOKS = 5;

export interface NodeControllerOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  clock: Clock;
  /** A virt-handler that has not been heard of for so long is not there. */
  heartbeatTimeoutMs: number;
  /** Has the instances of a node looked at again. */
  revisit: (node: string) => void;
}

/** Takes nodes out of scheduling whose virt-handler has gone silent, and has the guests of lost nodes told. */
export class NodeController {
  readonly #options: NodeControllerOptions;
  /** Nodes that were lost at the last look: their instances are looked at once more when they return. */
  readonly #lost = new Set<string>();

  constructor(options: NodeControllerOptions) {
    this.#options = options;
  }

  async reconcile({ name }: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { client, caches, events, clock, revisit, heartbeatTimeoutMs } = this.#options;
    const node = caches.nodes.store.get(name);
    const lost = isLost(node);
    if (lost || this.#lost.has(name)) revisit(name);
    if (lost) this.#lost.add(name);
    else this.#lost.delete(name);
    if (!node) return {};
    const age = heartbeatAge(node, clock.now());
    if (age === undefined) return {};
    const again = { requeueAfterMs: heartbeatTimeoutMs / LOOKS };
    if (!isUnresponsive(node, clock.now(), heartbeatTimeoutMs)) return again;
    if (isSchedulable(node)) {
      const body = { metadata: { labels: { [LABELS.schedulable]: 'false' } } };
      try {
        caches.nodes.observe(await client.patch(Nodes, { name }, { type: 'merge', body }, {}, signal));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      events.warning(
        subjectOf(Nodes, node),
        'NodeUnresponsive',
        `virt-handler on node ${name} is not responsive: its last heartbeat is ${Math.floor(age / 1000)} s old, so no guest is placed there`,
      );
    }
    revisit(name);
    return again;
  }
}
