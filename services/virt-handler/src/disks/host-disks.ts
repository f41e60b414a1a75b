import { chown, link, lstat, open, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LAUNCHER_UID, quantityValue, type VirtualMachineInstanceSpec, type Volume } from '@yagura/api';
import { resolveInRoot } from './resolve-in-root.ts';

/** The node's files, as this process sees them. */
const HOST_ROOT = '/proc/1/root';

/**
 * Makes the images of host disks that may be made; the directories are the kubelet's work. One that is there belongs to
 * whoever put it there, and stays as it is.
 */
export async function ensureHostDisks(spec: VirtualMachineInstanceSpec, root = HOST_ROOT): Promise<void> {
  for (const { name, hostDisk } of spec.volumes ?? []) {
    if (hostDisk?.type !== 'DiskOrCreate') continue;
    await ensureHostDisk(hostDisk, root).catch((error: Error) => {
      throw new Error(`volume "${name}": ${error.message}`, { cause: error });
    });
  }
}

async function ensureHostDisk(hostDisk: NonNullable<Volume['hostDisk']>, root: string): Promise<void> {
  const directory = join(root, await resolveInRoot(root, dirname(hostDisk.path)));
  const image = join(directory, basename(hostDisk.path));
  if ((await lstat(image).catch(() => undefined)) !== undefined) return;
  const bytes = quantityValue(hostDisk.capacity ?? 0);
  const { bavail, bsize } = await statfs(directory, { bigint: true });
  if (bytes <= 0n) throw new Error(`there is no ${hostDisk.path}, and no capacity is given to make it`);
  if (bytes > bavail * bsize) {
    throw new Error(`${hostDisk.path} cannot be made: ${bytes} B are wanted, and the node has less than that free`);
  }
  // A name of its own first, so that the image is whole or not there.
  const temporary = `${image}.${process.pid}.new`;
  try {
    const file = await open(temporary, 'wx', 0o660);
    await file.truncate(Number(bytes)).finally(async () => file.close());
    await chown(temporary, LAUNCHER_UID, LAUNCHER_UID);
    await link(temporary, image).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
}
