import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type CloudInitSecret, cloudInitSecretDirectory, LAUNCHER_DIRECTORIES } from '@yagura/api';
import type { Paths } from '../paths.ts';

/** The key may be spelled in the contract's way or in the way of older tools. */
const KEYS: Record<CloudInitSecret, readonly string[]> = {
  userdata: ['userdata', 'userData'],
  networkdata: ['networkdata', 'networkData'],
};

/** Data of a mounted secret; undefined when none is mounted, or it lacks the key. */
export async function readSeedSecret(paths: Paths, volume: string, data: CloudInitSecret): Promise<Buffer | undefined> {
  const inPrivate = relative(LAUNCHER_DIRECTORIES.private, cloudInitSecretDirectory(volume, data));
  for (const key of KEYS[data]) {
    const content = await readFile(join(paths.privateDirectory, inPrivate, key)).catch(() => undefined);
    if (content !== undefined) return content;
  }
  return undefined;
}
