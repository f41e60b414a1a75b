import type { Pod } from '@yagura/api';
import type { Informer } from '@yagura/kube';
import type { ImageMounts } from '../disks/image-mounts.ts';
import type { Launchers } from '../launcher/launchers.ts';
import type { SocketLinks } from '../launcher/socket-links.ts';
import { endDiskContainers } from './disk-containers.ts';
import { computeEnd, ownerOf } from './launcher-pod.ts';
import type { PodPaths } from './paths.ts';
import type { ContainerProcesses } from './processes.ts';

export interface SweeperParts {
  pods: Pick<Informer<Pod>, 'store' | 'hasSynced'>;
  launchers: Launchers;
  images: ImageMounts;
  links: SocketLinks;
  paths: PodPaths;
  processes: Pick<ContainerProcesses, 'find'>;
}

/** Removes from the node what belongs to launchers that have ended, whoever made it and whenever. */
export class Sweeper {
  readonly #parts: SweeperParts;
  readonly #dismissed = new Set<string>();
  #running: Promise<void> | undefined;
  #again = false;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** A launcher that was told to go needs its disks no more, although its pod still runs. */
  dismiss(podUid: string): void {
    this.#dismissed.add(podUid);
  }

  /** Sweeps once; calls during a sweep lead to one more after it. */
  async sweep(): Promise<void> {
    if (this.#running !== undefined) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#loop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      await this.#once();
    } while (this.#again);
  }

  async #once(): Promise<void> {
    const { pods, launchers, images, links, paths, processes } = this.#parts;
    // Before the first list every pod would look as if it had ended.
    if (!pods.hasSynced) return;
    // A pod that no instance controls is not ours: neither does it keep anything, nor is it touched.
    const stored = pods.store.list().filter((pod) => ownerOf(pod) !== undefined);
    const alive = new Set(stored.filter(lives).map(({ metadata }) => metadata.uid ?? ''));
    const known = new Set(stored.map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of this.#dismissed) if (!known.has(uid)) this.#dismissed.delete(uid);
    for (const uid of launchers.podUids()) if (!alive.has(uid)) launchers.drop(uid);
    await images.unmountWhere((uid) => !alive.has(uid) || this.#dismissed.has(uid));
    for (const pod of stored) await endDiskContainers(pod, processes);
    const sockets = new Set([...alive].map((uid) => paths.hostLauncherSocket(uid)));
    await links.removeWhere((target) => !sockets.has(target));
  }
}

function lives(pod: Pod): boolean {
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return !ended && computeEnd(pod) === undefined;
}
