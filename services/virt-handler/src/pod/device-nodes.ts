import { lchown, lstat } from 'node:fs/promises';
import { LAUNCHER_UID } from '@yagura/api';

const DEVICES = ['kvm', 'net/tun', 'vhost-net'];

/** Gives a node to the launcher's user, if it is of the right kind; a link in its place is left alone. */
async function own(path: string, kind: 'isCharacterDevice' | 'isBlockDevice'): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.[kind]() || stats.uid === LAUNCHER_UID) return;
  await lchown(path, LAUNCHER_UID, LAUNCHER_UID);
}

/**
 * Gives the device nodes in a container to the launcher's user: the kubelet makes them with the node's owner and mode,
 * which is mostly root alone.
 * @param blockDevices paths of the container's volumes that are block devices
 */
export async function ownDeviceNodes(pid: number, blockDevices: readonly string[] = []): Promise<void> {
  const root = `/proc/${pid}/root`;
  for (const device of DEVICES) await own(`${root}/dev/${device}`, 'isCharacterDevice');
  for (const path of blockDevices) await own(`${root}${path}`, 'isBlockDevice');
}
