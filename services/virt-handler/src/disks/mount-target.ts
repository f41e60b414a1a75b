import { chmod, chown, lstat, mkdir, open, rmdir, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Makes an empty file or directory to mount something onto. The pod could write into this directory before we came, and a link in the
 * target's place would lead the mount anywhere on the node; so the directories are made root's alone, each before it is looked
 * into, and anything but root's own plain file or directory is removed. From then on the pod can neither rename nor replace
 * anything on the way to the target.
 */
export async function makeMountTarget(
  volume: string,
  target: string,
  kind: 'file' | 'directory' = 'file',
): Promise<void> {
  await ownDirectory(volume);
  let directory = volume;
  for (const part of dirname(relative(volume, join(volume, target))).split('/')) {
    if (part === '.' || part === '') continue;
    directory = join(directory, part);
    const stats = await statOf(directory);
    if (stats !== undefined && !stats.isDirectory()) await unlink(directory);
    if (!stats?.isDirectory()) await mkdir(directory);
    await ownDirectory(directory);
  }
  const path = join(volume, target);
  const stats = await statOf(path);
  if (kind === 'directory') {
    if (stats !== undefined && !stats.isDirectory()) await unlink(path);
    if (!stats?.isDirectory()) await mkdir(path);
    return ownDirectory(path);
  }
  if (stats?.isFile() && stats.uid === process.getuid?.() && stats.nlink === 1) return;
  if (stats !== undefined) await remove(path, stats.isDirectory());
  await (await open(path, 'wx', 0o444)).close();
}

/** A full directory is not emptied: its content is still the pod's, which could swap links in while we go down into it. */
async function remove(path: string, isDirectory: boolean): Promise<void> {
  if (!isDirectory) return unlink(path);
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY') throw error;
    throw new Error(`${path} is a directory with files in it, where an image is to be mounted: delete the pod`);
  });
}

async function statOf(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function ownDirectory(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a directory`);
  const uid = process.getuid?.() ?? 0;
  if (stats.uid !== uid) await chown(path, uid, stats.gid);
  await chmod(path, 0o755);
}
