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

const CHECK_MS = 60_000;

export interface NodeControllerOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  clock: Clock;
  /** Has the instances of a node looked at again. */
  revisit: (node: string) => void;
}

/** Takes nodes out of scheduling whose virt-handler has gone silent. */
export class NodeController {
  readonly #options: NodeControllerOptions;

  constructor(options: NodeControllerOptions) {
    this.#options = options;
  }

  async reconcile({ name }: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { client, caches, events, clock, revisit } = this.#options;
    const node = caches.nodes.store.get(name);
    if (!node) {
      revisit(name);
      return {};
    }
    const age = heartbeatAge(node, clock.now());
    if (age === undefined) return {};
    if (!isUnresponsive(node, clock.now())) return { requeueAfterMs: CHECK_MS };
    if (isSchedulable(node)) {
      const body = { metadata: { labels: { [LABELS.schedulable]: 'false' } } };
      try {
        caches.nodes.observe(await client.patch(Nodes, { name }, { type: 'merge', body }, {}, signal));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      const minutes = Math.floor(age / 60_000);
      events.warning(
        subjectOf(Nodes, node),
        'NodeUnresponsive',
        `virt-handler on node ${name} is not responsive: its last heartbeat is ${minutes} minutes old`,
      );
    }
    revisit(name);
    return { requeueAfterMs: CHECK_MS };
  }
}
