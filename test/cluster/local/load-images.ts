import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readText, writeIfChanged } from '../files.ts';
import { nodeDir } from '../paths.ts';
import { inNode } from './enter.ts';

const digests = new Map<string, Promise<string>>();

/** Of the archive's bytes; hashed once for all nodes, and once for each version of the file. */
async function digestOf(archive: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(archive);
  const key = `${archive} ${ino} ${size} ${mtimeMs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  const digest = pipeline(createReadStream(archive), hash).then(() => hash.digest('hex'));
  digests.set(key, digest);
  return digest;
}

const nameOf = (archive: string): string => (archive.split('/').at(-1) ?? archive).replace(/\.tar$/, '');

/** Imports image archives (docker or OCI) into one node's containerd, but those it has already. Answers the names of those imported. */
export async function loadImagesInto(
  node: string,
  archives: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const imported: string[] = [];
  const marks = join(nodeDir(node), 'images');
  await mkdir(marks, { recursive: true });
  for (const archive of archives) {
    const mark = join(marks, nameOf(archive));
    const digest = await digestOf(archive);
    if ((await readText(mark)) === digest) continue;
    await inNode(node, ['ctr', '-n', 'k8s.io', 'images', 'import', archive], {}, signal);
    await writeIfChanged(mark, digest);
    imported.push(nameOf(archive));
  }
  return imported;
}
