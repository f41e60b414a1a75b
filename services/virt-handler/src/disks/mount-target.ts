import { chmod, chown, lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Makes an empty file to mount an image onto. The pod could write into this directory before we came, and a link in the
 * target's place would lead the mount anywhere on the node; so the directories are made root's alone first, and
 * anything but root's own plain file or directory is removed.
 */
export async function makeMountTarget(volume: string, target: string): Promise<void> {
  await ownDirectory(volume);
  let directory = volume;
  for (const part of dirname(relative(volume, join(volume, target))).split('/')) {
    if (part === '.' || part === '') continue;
    directory = join(directory, part);
    const stats = await lstat(directory).catch(() => undefined);
    if (stats !== undefined && !stats.isDirectory()) await rm(directory);
    if (!stats?.isDirectory()) await mkdir(directory);
    await ownDirectory(directory);
  }
  const path = join(volume, target);
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() && stats.uid === process.getuid?.() && stats.nlink === 1) return;
  if (stats !== undefined) await rm(path, { recursive: true });
  await (await open(path, 'wx', 0o444)).close();
}

async function ownDirectory(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a directory`);
  const uid = process.getuid?.() ?? 0;
  if (stats.uid !== uid) await chown(path, uid, stats.gid);
  await chmod(path, 0o755);
}
