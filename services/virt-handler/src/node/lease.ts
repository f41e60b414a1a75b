import type { Node } from '@yagura/api';
import { type KubeClient, Leases, microTime, type OwnerReference } from '@yagura/kube';
import { handlerLeaseName } from '@yagura/layers/kubernetes';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';

const PERIOD_MS = 10_000;
/** Four renewals, as with a kubelet's lease: whoever is silent for longer is not just being restarted. */
const DURATION_SECONDS = 40;
/** The first heartbeat reads the node; when it does not succeed, the lease is renewed all the same. */
const NODE_WAIT_MS = 5_000;
const NODE_LOOK_MS = 100;

export interface NodeLeaseOptions {
  client: Pick<KubeClient, 'patch'>;
  nodeName: string;
  /** Of the product. */
  namespace: string;
  /** Who renews: the name of this pod. */
  identity: string;
  /** The node as it is known; the lease goes with it. */
  node: () => Node | undefined;
  log: Logger;
  now?: () => number;
  periodMs?: number;
  nodeWaitMs?: number;
}

/** A Lease that says every ten seconds that this node's virt-handler lives. Nothing else is written so often. */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #failing = false;
  #waited = 0;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
  }

  /** Renews until the signal aborts. The lease stays: it tells since when there is no answer. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Without its node the lease would lose its owner for ten seconds, after each restart.
      if (this.#options.node() === undefined && this.#waited < (this.#options.nodeWaitMs ?? NODE_WAIT_MS)) {
        this.#waited += NODE_LOOK_MS;
        await sleep(NODE_LOOK_MS, signal);
        continue;
      }
      await this.#renew(signal);
      await sleep(this.#options.periodMs ?? PERIOD_MS, signal);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, nodeName, namespace, identity, log, now = Date.now } = this.#options;
    const name = handlerLeaseName(nodeName);
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        namespace,
        labels: { 'kubevirt.io': 'virt-handler' },
        ownerReferences: ownersOf(this.#options.node()),
      },
      spec: { holderIdentity: identity, leaseDurationSeconds: DURATION_SECONDS, renewTime: microTime(now()) },
    };
    try {
      const write = { fieldManager: 'virt-handler', timeoutMs: 5_000 };
      await client.patch(Leases, { namespace, name }, { type: 'apply', body, force: true }, write, signal);
      if (this.#failing) log.info({ lease: name }, 'lease renewed again');
      this.#failing = false;
    } catch (error) {
      if (signal.aborted) return;
      // Once, not every ten seconds.
      if (!this.#failing) log.warn({ lease: name, reason: errorMessage(error) }, 'lease not renewed');
      this.#failing = true;
    }
  }
}

/** The node, with which Kubernetes removes the lease; nobody before it has been read. */
function ownersOf(node: Node | undefined): OwnerReference[] {
  const { name, uid } = node?.metadata ?? {};
  return name && uid ? [{ apiVersion: 'v1', kind: 'Node', name, uid }] : [];
}
