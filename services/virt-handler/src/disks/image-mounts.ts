import { join } from 'node:path';
import { LAUNCHER_UID } from '@yagura/api';
import type { PodPaths } from '../pod/paths.ts';
import type { HostMounts } from './host-mounts.ts';
import { HOTPLUG_VOLUME } from './hotplug-mounts.ts';
import { makeMountTarget } from './mount-target.ts';
import { findImage } from './resolve-in-root.ts';
import type { DiskSource } from './sources.ts';

const VOLUME = 'container-disks';
/** Volumes of a launcher's pod that virt-handler mounts into. */
const MOUNTED_INTO = [VOLUME, HOTPLUG_VOLUME];

/** Brings the images of a pod's container disks to its launcher, and takes them away again. */
export class ImageMounts {
  readonly #paths: PodPaths;
  readonly #mounts: HostMounts;

  constructor(paths: PodPaths, mounts: HostMounts) {
    this.#paths = paths;
    this.#mounts = mounts;
  }

  /** Mounts what is not mounted yet. `pidOf` answers the first process of a container of the pod. */
  async mount(podUid: string, sources: DiskSource[], pidOf: (container: string) => Promise<number>): Promise<void> {
    if (sources.length === 0) return;
    const mounted = new Map((await this.#mounts.list()).map((mount) => [mount.mountPoint, mount]));
    for (const source of sources) {
      const hostTarget = join(this.#paths.hostEmptyDir(podUid, VOLUME), source.target);
      const there = mounted.get(hostTarget);
      if (there?.readOnly) continue;
      // Only a mount that was cut short half way can still be written to.
      if (there !== undefined) await this.#mounts.unmount(hostTarget);
      const pid = await pidOf(source.container);
      const image = await findImage(`/proc/${pid}/root`, source.path, LAUNCHER_UID).catch((error: Error) => {
        throw new Error(`${source.what}: ${error.message}`);
      });
      await makeMountTarget(this.#paths.emptyDir(podUid, VOLUME), source.target);
      await this.#mounts.bindReadOnly(join(await this.#mounts.rootOf(pid), image.path), image, hostTarget);
    }
  }

  /** Unmounts all that is mounted into the volumes of disks of each pod that `isOver` says has ended. */
  async unmountWhere(isOver: (podUid: string) => boolean): Promise<void> {
    const mounts = await this.#mounts.list();
    // Later mounts may lie on top of earlier ones.
    for (const { mountPoint } of mounts.toReversed()) {
      const podUid = this.#podOf(mountPoint);
      if (podUid !== undefined && isOver(podUid)) await this.#mounts.unmount(mountPoint);
    }
  }

  #podOf(mountPoint: string): string | undefined {
    if (!mountPoint.startsWith(`${this.#paths.host}/`)) return undefined;
    const [uid, ...rest] = mountPoint.slice(this.#paths.host.length + 1).split('/');
    const below = rest.join('/');
    return MOUNTED_INTO.some((volume) => below.startsWith(`volumes/kubernetes.io~empty-dir/${volume}/`))
      ? uid
      : undefined;
  }
}
