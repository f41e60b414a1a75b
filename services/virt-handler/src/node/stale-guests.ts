import type { Pod } from '@yagura/api';
import type { Informer, KubeClient } from '@yagura/kube';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import { LauncherPods } from '../vmi/resources.ts';
import type { LocalGuest, LocalGuests } from './local-guests.ts';

const RETRY_MS = 1_000;
const TIMEOUT_MS = 5_000;

export interface StaleGuestsParts {
  nodeName: string;
  client: Pick<KubeClient, 'list'>;
  pods: Pick<Informer<Pod>, 'store' | 'hasSynced'>;
  guests: Pick<LocalGuests, 'find' | 'kill'>;
  /** A guest was killed, whose pod was none any more. */
  onKilled: (guest: LocalGuest) => void;
  log: Logger;
}

/**
 * Guests that run here although their pods are gone: while the node was cut off, somebody had it that they are down, and they
 * may run elsewhere by now. They are killed, before anything else is done on the node; a guest that is shut down in order
 * would write to its disks until it ends. Whatever cannot be found out is left as it is.
 */
export class StaleGuests {
  readonly #parts: StaleGuestsParts;
  #running: Promise<void> | undefined;
  #again = false;
  /** The next look is not to believe the cache: it may be from before the node was cut off. */
  #distrust = false;

  constructor(parts: StaleGuestsParts) {
    this.#parts = parts;
  }

  /** Looks once; what is asked during a look leads to one more after it. Fails when the API server cannot be asked. */
  async end(): Promise<void> {
    if (this.#running !== undefined) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#loop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Looks until it is known that there are none, whatever the cache says. */
  async ended(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#distrust = true;
        return await this.end();
      } catch (error) {
        this.#parts.log.warn(
          { reason: errorMessage(error) },
          'whether the guests of this node are its own is not known',
        );
        await sleep(RETRY_MS, signal);
      }
    }
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      await this.#once();
    } while (this.#again);
  }

  async #once(): Promise<void> {
    const { guests, pods, log, onKilled } = this.#parts;
    const believed = pods.hasSynced && !this.#distrust ? pods.store.list() : [];
    this.#distrust = false;
    const known = new Set(believed.map(({ metadata }) => metadata.uid));
    const suspects = (await guests.find()).filter(({ podUid }) => !known.has(podUid));
    const alive = suspects.length > 0 ? await this.#podsOfNode() : new Set<string>();
    for (const guest of suspects) {
      if (alive.has(guest.podUid)) continue;
      log.warn({ pod: guest.podUid, pid: guest.pid }, 'the pod of this guest is gone: the guest is killed');
      if (await guests.kill(guest)) onKilled(guest);
    }
  }

  /** From the API server itself, and whatever their labels are: a missing object in a cache proves nothing. */
  async #podsOfNode(): Promise<Set<string>> {
    const { client, nodeName } = this.#parts;
    const uids = new Set<string>();
    let page: { continue?: string } = {};
    do {
      const query = { fieldSelector: `spec.nodeName=${nodeName}`, limit: 500, timeoutMs: TIMEOUT_MS, ...page };
      const { items, metadata } = await client.list(LauncherPods, query);
      for (const pod of items) uids.add(pod.metadata.uid ?? '');
      page = metadata.continue ? { continue: metadata.continue } : {};
    } while (page.continue);
    return uids;
  }
}
