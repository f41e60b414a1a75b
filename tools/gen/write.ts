import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Writes a generated file unless it is as it should be; returns its path if it was written. */
export async function writeIfChanged(path: string, content: string): Promise<string[]> {
  const file = join(ROOT, path);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === content) return [];
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return [path];
}
