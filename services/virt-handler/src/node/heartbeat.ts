import { ANNOTATIONS, LABELS, type Node } from '@yagura/api';
import { type KubeClient, rfc3339 } from '@yagura/kube';
import { errorMessage, type Logger, Pause } from '@yagura/runtime';
import { ClusterNodes } from '../vmi/resources.ts';

const PERIOD_MS = 60_000;
const RETRY_MS = 5_000;

export interface HeartbeatOptions {
  client: Pick<KubeClient, 'patch'>;
  nodeName: string;
  /** Why no guest can run here; undefined when one can. */
  unable: () => string | undefined;
  log: Logger;
  random?: () => number;
}

/** Tells the cluster every minute or two that this node's agent lives, and whether guests can run on the node. */
export class Heartbeat {
  /** The node as it was at the last beat. */
  node: Node | undefined;
  lastBeatAt: Date | undefined;
  readonly #options: HeartbeatOptions;
  #wake: () => void = () => {};

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Beats at once, for news that cannot wait. */
  beatNow(): void {
    this.#wake();
  }

  /** Beats until the signal aborts, then says that the node takes no more guests. */
  async run(signal: AbortSignal): Promise<void> {
    const pause = new Pause(signal);
    this.#wake = () => pause.wake();
    while (!signal.aborted) {
      const ok = await this.#beat(this.#options.unable());
      // Spread, so that the nodes of a cluster do not beat together.
      await pause.wait(ok ? PERIOD_MS * (1 + 1.2 * (this.#options.random ?? Math.random)()) : RETRY_MS);
    }
    await this.#beat('virt-handler is stopping');
  }

  async #beat(unable: string | undefined): Promise<boolean> {
    const { client, nodeName, log } = this.#options;
    const metadata = {
      annotations: { [ANNOTATIONS.heartbeat]: rfc3339(Date.now()) },
      labels: { [LABELS.schedulable]: String(unable === undefined) },
    };
    try {
      this.node = await client.patch(
        ClusterNodes,
        { name: nodeName },
        { type: 'strategic', body: { metadata } },
        { timeoutMs: 5_000 },
      );
      this.lastBeatAt = new Date();
      log.debug({ unable }, 'heartbeat');
      return true;
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'heartbeat not written');
      return false;
    }
  }
}
