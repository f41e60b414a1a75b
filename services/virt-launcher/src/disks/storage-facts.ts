import { constants, type Stats } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import type { DiskSource } from '@yagura/domain';
import { takesDirectIo } from './images.ts';
import { VolumeError } from './volume-error.ts';

/** A sparse file tells its allocation in units of 512 bytes, whatever the file system's blocks are. */
const ALLOCATION_UNIT = 512;
const BLOCK_MAX = 4096;

/** A raw image or a block device as QEMU should use it. Throws VolumeError for one that it cannot open. */
export async function rawStorage(volume: string, path: string, readOnly: boolean): Promise<DiskSource> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new VolumeError(volume, 'missing', `there is no ${path}`);
    throw VolumeError.from(volume, error);
  });
  const block = stats.isBlockDevice();
  if (!block && !stats.isFile()) throw new VolumeError(volume, 'other', `${path} is neither a file nor a block device`);
  await mayUse(volume, path, readOnly);
  const cache = (await takesDirectIo(path)) ? 'none' : 'writethrough';
  const source: DiskSource = { file: path, format: 'raw', cache, blockSize: await blockSizeOf(path, stats) };
  if (block) return { ...source, block };
  const preallocated = stats.size > 0 && stats.blocks * ALLOCATION_UNIT >= stats.size;
  return preallocated ? { ...source, preallocated } : source;
}

async function mayUse(volume: string, path: string, readOnly: boolean): Promise<void> {
  const mode = readOnly ? constants.R_OK : constants.R_OK | constants.W_OK;
  await access(path, mode).catch((error: NodeJS.ErrnoException) => {
    const what = readOnly ? 'read' : 'read and written';
    const user = process.getuid?.() ?? '';
    throw new VolumeError(
      volume,
      'access',
      `${path} cannot be ${what} by user ${user} (${error.code}): give it to ${user}`,
    );
  });
}

/** A device's own sizes; those of a file are what its file system works in. */
async function blockSizeOf(path: string, stats: Stats): Promise<{ logical: number; physical: number }> {
  if (!stats.isBlockDevice()) {
    const size = Math.min(BLOCK_MAX, (await statfs(path)).bsize);
    return { logical: size, physical: size };
  }
  const major = (stats.rdev >> 8) & 0xfff;
  const minor = (stats.rdev & 0xff) | ((stats.rdev >> 12) & 0xfff00);
  const device = `/sys/dev/block/${major}:${minor}`;
  const read = async (name: string) => {
    // A partition has its queue in the directory of its disk.
    for (const queue of [`${device}/queue`, `${device}/../queue`]) {
      const text = await readFile(`${queue}/${name}`, 'utf8').catch(() => undefined);
      if (text !== undefined) return Number(text);
    }
    return 512;
  };
  return { logical: await read('logical_block_size'), physical: await read('physical_block_size') };
}
