import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a bundle was made from: the project's own files one by one, all packages by the lock file. */
interface Stamp {
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly outputs: readonly string[];
}

const WHOLE = ['pnpm-lock.yaml', 'tools/build.ts'];

const look = (root: string, path: string): string => {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  return stat === undefined ? 'absent' : `${stat.size} ${stat.mtimeMs}`;
};

function version(root: string): string {
  const hash = createHash('sha256');
  for (const path of WHOLE) if (existsSync(join(root, path))) hash.update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** Whether the outputs are there and nothing that they were made from was touched since. */
export function isCurrent(root: string, file: string): boolean {
  if (!existsSync(file)) return false;
  let stamp: Stamp;
  try {
    stamp = JSON.parse(readFileSync(file, 'utf8')) as Stamp;
  } catch {
    return false;
  }
  return (
    stamp.version === version(root) &&
    stamp.outputs.every((path) => existsSync(join(root, path))) &&
    Object.entries(stamp.files).every(([path, seen]) => look(root, path) === seen)
  );
}

/** Remembers what a bundle was made from; a file edited since `begin` (ms of the epoch) counts as changed already. */
export function writeStamp(
  root: string,
  file: string,
  inputs: readonly string[],
  outputs: readonly string[],
  begin: number,
): void {
  const files = inputs
    .filter((path) => !path.includes('node_modules/'))
    .map((path) => {
      const touched = (statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) >= begin;
      return [path, touched ? 'touched meanwhile' : look(root, path)];
    });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ version: version(root), files: Object.fromEntries(files), outputs }));
}
