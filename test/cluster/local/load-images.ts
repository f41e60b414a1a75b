import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readText, writeIfChanged } from '../files.ts';
import { nodeDir } from '../paths.ts';
import { inNode } from './enter.ts';

/** What a node remembers of an archive it has imported: its contents, and by what the file can be known without reading it. */
interface Mark {
  readonly file: string;
  readonly digest: string;
}

const digests = new Map<string, Promise<string>>();

/** Hashed once for all nodes. */
async function hash(archive: string, file: string): Promise<string> {
  const known = digests.get(file);
  if (known !== undefined) return known;
  const sum = createHash('sha256');
  const digest = pipeline(createReadStream(archive), sum).then(() => sum.digest('hex'));
  digests.set(file, digest);
  return digest;
}

async function fileOf(archive: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(archive);
  return `${archive} ${ino} ${size} ${mtimeMs}`;
}

function parseMark(text: string | undefined): Mark | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Mark);
  } catch {
    return undefined;
  }
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
    const path = join(marks, nameOf(archive));
    const mark = parseMark(await readText(path));
    const file = await fileOf(archive);
    if (mark?.file === file) continue;
    const digest = await hash(archive, file);
    if (mark?.digest !== digest) {
      await inNode(node, ['ctr', '-n', 'k8s.io', 'images', 'import', archive], {}, signal);
      imported.push(nameOf(archive));
    }
    await writeIfChanged(path, JSON.stringify({ file, digest } satisfies Mark));
  }
  return imported;
}
