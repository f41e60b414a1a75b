import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Keys and values of a mounted secret; empty while it is not there. The kubelet's own entries begin with "..". */
export async function secretFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('..')).sort();
  const entries = names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const);
  return new Map(await Promise.all(entries));
}

/** The public keys in the values of a secret, in their order, each once. */
export function keyLines(files: ReadonlyMap<string, string>): string[] {
  const lines = [...files.values()].flatMap((text) => text.split('\n')).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))];
}
