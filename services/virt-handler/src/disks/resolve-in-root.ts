import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_LINKS = 40;

/**
 * Resolves a path inside a foreign root directory, links included, so that none leads out of it: an absolute target
 * begins at that root, and `..` ends there. Answers the path relative to the root, free of links.
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
  const pending = parts(path);
  const resolved: string[] = [];
  for (let links = 0; pending.length > 0; ) {
    const part = pending.shift();
    if (part === undefined) break;
    if (part === '..') {
      resolved.pop();
      continue;
    }
    const stats = await lstat(join(root, ...resolved, part)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new Error(`${path} is not in the image`);
      throw error;
    });
    if (!stats.isSymbolicLink()) {
      resolved.push(part);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new Error(`${path} goes through more than ${MAX_LINKS} links`);
    const target = await readlink(join(root, ...resolved, part));
    if (target.startsWith('/')) resolved.length = 0;
    pending.unshift(...parts(target));
  }
  return `/${resolved.join('/')}`;
}

function parts(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** One file, whatever paths lead to it: `st_dev` and `st_ino`. */
export interface FileIdentity {
  device: bigint;
  inode: bigint;
}

export interface Image extends FileIdentity {
  /** Below the root, free of links when it was looked at. */
  path: string;
}

/**
 * The image in a container disk: what the spec names, else the only file in /disk. The container may change its files at any
 * time; whoever goes by the path later compares the identity.
 */
export async function findImage(root: string, path: string | undefined, uid: number): Promise<Image> {
  const image = await resolveInRoot(root, path || (await onlyFile(root)));
  const stats = await lstat(join(root, image), { bigint: true });
  if (!stats.isFile()) throw new Error(`${image} in the image is not a regular file`);
  const mode = Number(stats.mode);
  const readable = (mode & 0o004) !== 0 || (Number(stats.uid) === uid && (mode & 0o400) !== 0);
  if (!readable) {
    throw new Error(
      `${image} in the image cannot be read by user ${uid}: give it to ${uid} or make it readable for all`,
    );
  }
  return { path: image, device: stats.dev, inode: stats.ino };
}

async function onlyFile(root: string): Promise<string> {
  const directory = await resolveInRoot(root, '/disk').catch(() => {
    throw new Error('the image has no directory /disk, and the spec names no path');
  });
  const names = (await readdir(join(root, directory))).filter((name) => !name.startsWith('.'));
  const [name] = names;
  if (name === undefined) throw new Error('the directory /disk of the image is empty');
  if (names.length > 1) {
    throw new Error(`the directory /disk of the image has ${names.length} files, and the spec names no path`);
  }
  return `${directory}/${name}`;
}
