import { lchown, lstat } from 'node:fs/promises';
import { LAUNCHER_UID } from '@yagura/api';

const DEVICES = ['kvm', 'net/tun', 'vhost-net'];

/**
 * Gives the device nodes in a container to the launcher's user: the kubelet makes them with the node's owner and mode,
 * which is mostly root alone. A link in their place is left alone.
 */
export async function ownDeviceNodes(pid: number): Promise<void> {
  for (const device of DEVICES) {
    const path = `/proc/${pid}/root/dev/${device}`;
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isCharacterDevice() || stats.uid === LAUNCHER_UID) continue;
    await lchown(path, LAUNCHER_UID, LAUNCHER_UID);
  }
}
