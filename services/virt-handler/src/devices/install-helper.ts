import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Puts the helper where containers can be given it. A running one is replaced under its name, never overwritten. */
export async function installHelper(source: string, target: string): Promise<void> {
  const wanted = await readFile(source);
  const present = await readFile(target).catch(() => undefined);
  if (present !== undefined && wanted.equals(present)) return;
  await mkdir(dirname(target), { recursive: true });
  const staged = `${target}.${randomUUID()}`;
  try {
    await copyFile(source, staged);
    await chmod(staged, 0o755);
    await rename(staged, target);
  } finally {
    await rm(staged, { force: true });
  }
}
