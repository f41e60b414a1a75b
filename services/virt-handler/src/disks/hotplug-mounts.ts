import { lstat, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attachmentDevice, attachmentDirectory, LAUNCHER_UID } from '@yagura/api';
import type { PodPaths } from '../pod/paths.ts';
import type { Run } from '../system/run.ts';
import { type DeviceAccess, numbersOf } from './device-access.ts';
import type { HostMounts } from './host-mounts.ts';
import { makeMountTarget } from './mount-target.ts';

/** The launcher's volume that plugged claims appear in. */
export const HOTPLUG_VOLUME = 'hotplug-disks';

/** A claim in its attachment pod, and the launcher it is for. */
export interface Attachment {
  volume: string;
  block: boolean;
  /** The claim is the guest's to read only. */
  readOnly: boolean;
  /** First process of the attachment pod's container. */
  attachmentPid: number;
  podUid: string;
  /** First process of the launcher's container. */
  computePid: number;
}

/** Brings claims from their attachment pods into the launcher's pod, and takes them out again. */
export class HotplugMounts {
  readonly #paths: PodPaths;
  readonly #mounts: HostMounts;
  readonly #devices: DeviceAccess;
  readonly #run: Run;

  constructor(paths: PodPaths, mounts: HostMounts, devices: DeviceAccess, run: Run) {
    this.#paths = paths;
    this.#mounts = mounts;
    this.#devices = devices;
    this.#run = run;
  }

  /** Makes the claim visible in the launcher; nothing changes where it is already. */
  async ensure(attachment: Attachment): Promise<void> {
    await (attachment.block ? this.#ensureNode(attachment) : this.#ensureMount(attachment));
  }

  /** Takes the claim out of the launcher's pod, from which the guest must have let go of it before. */
  async release(podUid: string, volume: string, computePid: number): Promise<void> {
    const target = join(this.#paths.hostEmptyDir(podUid, HOTPLUG_VOLUME), volume);
    for (const { mountPoint } of await this.#mounts.list()) {
      if (mountPoint === target) await this.#mounts.unmount(target);
    }
    const here = join(this.#paths.emptyDir(podUid, HOTPLUG_VOLUME), volume);
    const stats = await lstat(here).catch(() => undefined);
    if (stats?.isBlockDevice()) {
      await this.#devices.forbid(computePid, stats.rdev);
      await rm(here);
    } else if (stats !== undefined) {
      await rmdir(here);
    }
  }

  async #ensureMount({ volume, attachmentPid, podUid, readOnly }: Attachment): Promise<void> {
    const target = join(this.#paths.hostEmptyDir(podUid, HOTPLUG_VOLUME), volume);
    const there = (await this.#mounts.list()).find(({ mountPoint }) => mountPoint === target);
    if (there !== undefined && (there.readOnly || !readOnly)) return;
    // Made by an older version, or cut short half way: it can still be written to.
    if (there !== undefined) await this.#mounts.unmount(target);
    const directory = attachmentDirectory(volume);
    const { dev, ino } = await stat(`/proc/${attachmentPid}/root${directory}`, { bigint: true });
    const source = await this.#mounts.sourceOf(attachmentPid, directory);
    await makeMountTarget(this.#paths.emptyDir(podUid, HOTPLUG_VOLUME), volume, 'directory');
    await this.#mounts.bindDirectory(source, { device: dev, inode: ino }, target, readOnly);
  }

  async #ensureNode({ volume, attachmentPid, podUid, computePid, readOnly }: Attachment): Promise<void> {
    const device = await lstat(`/proc/${attachmentPid}/root${attachmentDevice(volume)}`);
    if (!device.isBlockDevice())
      throw new Error(`${attachmentDevice(volume)} of the attachment pod is no block device`);
    const directory = this.#paths.emptyDir(podUid, HOTPLUG_VOLUME);
    const node = join(directory, volume);
    const known = await lstat(node).catch(() => undefined);
    if (!known?.isBlockDevice() || known.rdev !== device.rdev || known.uid !== LAUNCHER_UID) {
      // The directory becomes root's alone, so that nobody can put a link in the node's place.
      await makeMountTarget(directory, volume);
      await rm(node);
      const { major, minor } = numbersOf(device.rdev);
      await this.#run(['mknod', '-m', '600', node, 'b', String(major), String(minor)]);
      await this.#run(['chown', '-h', `${LAUNCHER_UID}:${LAUNCHER_UID}`, node]);
    }
    await this.#devices.allow(computePid, device.rdev, readOnly);
  }
}
