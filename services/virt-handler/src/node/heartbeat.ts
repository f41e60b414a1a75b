import { ANNOTATIONS, LABELS, type Node } from '@yagura/api';
import { isFailedPatchTest, jsonPointer, type KubeClient, rfc3339 } from '@yagura/kube';
import { errorMessage, type Logger, Pause } from '@yagura/runtime';
import { ClusterNodes } from '../vmi/resources.ts';
import { labelChanges } from './labels.ts';

/** After so many periods without a beat the node may have been given up. */
const MISSED_PERIODS = 3;
const RETRY_MS = 5_000;

export interface HeartbeatOptions {
  client: Pick<KubeClient, 'patch'>;
  nodeName: string;
  /** Why no guest can run here; undefined when one can. */
  unable: () => string | undefined;
  /** What guests can be here, as labels; undefined when nobody knows. */
  abilities?: () => Readonly<Record<string, string>> | undefined;
  /** Beats are one to 2.2 times so far apart. */
  periodMs: number;
  /** What is to be done before the cluster hears of the node again, after it has not for a while. */
  beforeReturn: (signal: AbortSignal) => Promise<void>;
  log: Logger;
  random?: () => number;
}

/** Tells the cluster every minute or two that this node's agent lives, and whether guests can run on the node. */
export class Heartbeat {
  /** The node as it was at the last beat. */
  node: Node | undefined;
  lastBeatAt: Date | undefined;
  readonly #options: HeartbeatOptions;
  /** The time of the last beat, written or perhaps written. */
  #written: string | undefined;
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
    const { periodMs, beforeReturn, unable, random } = this.#options;
    let ok = false;
    let last = Date.now();
    while (!signal.aborted) {
      // A node that slept has missed beats without knowing it.
      if (!ok || Date.now() - last > MISSED_PERIODS * periodMs) await beforeReturn(signal);
      last = Date.now();
      ok = await this.#beat(unable());
      // Spread, so that the nodes of a cluster do not beat together.
      await pause.wait(ok ? periodMs * (1 + 1.2 * (random ?? Math.random)()) : RETRY_MS);
    }
    await this.#lastBeat();
  }

  /**
   * Takes the node out of scheduling, unless somebody has beaten since: the next virt-handler of this node may have
   * begun before this one has ended, and its word counts.
   */
  async #lastBeat(): Promise<void> {
    const { client, nodeName, log } = this.#options;
    if (this.#written === undefined) return;
    const body = [
      { op: 'test', path: jsonPointer('metadata', 'annotations', ANNOTATIONS.heartbeat), value: this.#written },
      { op: 'add', path: jsonPointer('metadata', 'labels', LABELS.schedulable), value: 'false' },
    ] as const;
    try {
      await client.patch(ClusterNodes, { name: nodeName }, { type: 'json', body }, { timeoutMs: 5_000 });
    } catch (error) {
      if (isFailedPatchTest(error)) log.info('the node has another heartbeat by now');
      else log.warn({ reason: errorMessage(error) }, 'last heartbeat not written');
    }
  }

  /** Nothing is taken away on a node that has not been read yet; the first beat reads it. */
  #abilities(): Record<string, string | null> {
    const wanted = this.#options.abilities?.();
    return wanted === undefined ? {} : labelChanges(this.node?.metadata.labels ?? {}, wanted);
  }

  async #beat(unable: string | undefined): Promise<boolean> {
    const { client, nodeName, log } = this.#options;
    this.#written = rfc3339(Date.now());
    const metadata = {
      annotations: { [ANNOTATIONS.heartbeat]: this.#written },
      labels: { ...this.#abilities(), [LABELS.schedulable]: String(unable === undefined) },
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
