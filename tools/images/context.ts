import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ImageSpec } from './specs.ts';

/** One file of a build context. Only what matters to the image: time stamps and owners do not. */
export interface ContextFile {
  /** Below the repository, and so below the context. */
  readonly path: string;
  /** Where its content is. */
  readonly source: string;
  readonly kind: 'file' | 'executable' | 'symlink';
}

/** Fixed, so that a fresh clone finds the layers that another clone left in the builder's cache. */
const TIME = new Date('2020-01-01T00:00:00Z');

/** Lists what an image's build reads, sorted by path. Throws on an input that matches nothing. */
export function listContext(root: string, spec: ImageSpec): ContextFile[] {
  const files = new Map<string, ContextFile>();
  for (const pattern of [spec.containerfile, ...spec.inputs]) {
    const matches = pattern.includes('*') ? globSync(pattern, { cwd: root }) : [pattern];
    const present = matches.filter((match) => existsSync(join(root, match)));
    if (present.length === 0) throw new Error(`image ${spec.name}: ${pattern} is missing`);
    // Inputs may be links of the package manager's; below them links are content.
    for (const match of present) walk(match, realpathSync(join(root, match)), files);
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function walk(path: string, source: string, into: Map<string, ContextFile>): void {
  const stat = lstatSync(source);
  if (stat.isDirectory()) {
    for (const name of readdirSync(source)) walk(join(path, name), join(source, name), into);
  } else if (stat.isSymbolicLink()) into.set(path, { path, source, kind: 'symlink' });
  else into.set(path, { path, source, kind: stat.mode & 0o100 ? 'executable' : 'file' });
}

/** A digest of the context and of whatever else decides how the image comes out. */
export function hashContext(files: readonly ContextFile[], others: readonly string[]): string {
  const hash = createHash('sha256');
  for (const other of others) hash.update(`${other}\0`);
  for (const { path, source, kind } of files) {
    hash.update(`${path}\0${kind}\0`).update(kind === 'symlink' ? readlinkSync(source) : digestFile(source));
  }
  return hash.digest('hex');
}

const digests = new Map<string, string>();

function digestFile(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  const key = `${path} ${size} ${mtimeMs} ${ino}`;
  let digest = digests.get(key);
  if (digest === undefined) {
    digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    digests.set(key, digest);
  }
  return digest;
}

/** Lays the context out in `to` with fixed time stamps and modes, so that only content decides about cached layers. */
export function stageContext(files: readonly ContextFile[], to: string): void {
  rmSync(to, { recursive: true, force: true });
  const directories = new Set<string>();
  for (const { path, source, kind } of files) {
    const target = join(to, path);
    for (let dir = dirname(target); relative(to, dir) !== ''; dir = dirname(dir)) directories.add(dir);
    mkdirSync(dirname(target), { recursive: true });
    if (kind === 'symlink') {
      symlinkSync(readlinkSync(source), target);
      lutimesSync(target, TIME, TIME);
    } else {
      copyFileSync(source, target);
      chmodSync(target, kind === 'executable' ? 0o755 : 0o644);
      utimesSync(target, TIME, TIME);
    }
  }
  // Deepest first: touching a file changes its directory.
  for (const dir of [...directories].sort().reverse()) {
    chmodSync(dir, 0o755);
    utimesSync(dir, TIME, TIME);
  }
}
