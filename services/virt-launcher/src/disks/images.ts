import { constants } from 'node:fs';
import { access, chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { run } from '../process/run.ts';
import { HEADER_BYTES, type ImageFormat, imageFormat } from './image-header.ts';

const MEBIBYTE = 1024n * 1024n;

/** Format of an image file; throws UnsafeImageError for one that names other files. */
export async function probeFormat(path: string): Promise<ImageFormat> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return imageFormat(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Whether the file's file system can be read past the page cache. */
export async function takesDirectIo(path: string): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_DIRECT);
    await file.close();
    return true;
  } catch {
    return false;
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** An empty overlay on a read-only image. One that is there already holds the guest's writes and stays. */
export async function ensureOverlay(path: string, backing: { file: string; format: ImageFormat }): Promise<void> {
  await ensureFile(path, async (temporary) => {
    const base = ['-b', backing.file, '-F', backing.format];
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...base, temporary]);
  });
}

/** A blank qcow2 image of `bytes`, rounded down to whole MiB. */
export async function ensureBlank(path: string, bytes: bigint): Promise<void> {
  const size = (bytes / MEBIBYTE) * MEBIBYTE;
  await ensureFile(path, async (temporary) => {
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', temporary, String(size)]);
  });
}

/** Makes a file under another name and renames it, so that it is whole or not there. */
export async function ensureFile(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  await make(temporary);
  await chmod(temporary, 0o640);
  await rename(temporary, path);
}
