import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package as installed: `path` has no symlink in it. */
interface Installed {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly dependencies: readonly string[];
}

/** Where a copied package goes, relative to the new node_modules, e.g. `a` or `b/node_modules/a`. */
export interface Placement {
  readonly at: string;
  readonly from: string;
  readonly version: string;
}

/**
 * Lays out the packages and all that they need, at run time, as a node_modules without symlinks: each name at the
 * top in the version met first (breadth first), another version below the package that wants it.
 */
export function planClosure(from: string, names: readonly string[]): Placement[] {
  const top = new Map<string, Installed>();
  const placements = new Map<string, Placement>();
  const queue = names.map((name) => ({ name, from, below: '' }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const found = resolvePackage(next.name, next.from);
    const known = top.get(found.name);
    if (known?.path === found.path) continue;
    const at = known === undefined ? found.name : join(next.below, 'node_modules', found.name);
    if (placements.has(at)) continue;
    if (known === undefined) top.set(found.name, found);
    placements.set(at, { at, from: found.path, version: found.version });
    for (const name of found.dependencies.filter(isCode)) queue.push({ name, from: found.path, below: at });
  }
  return [...placements.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Copies the closure to `to`, unless it is there already. */
export function copyClosure(from: string, names: readonly string[], to: string): void {
  const plan = planClosure(from, names);
  const manifest = join(to, '.closure');
  const wanted = plan.map((item) => `${item.at} ${item.version}`).join('\n');
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted) return;
  const fresh = `${to}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const { at, from: source } of plan) {
    mkdirSync(join(fresh, dirname(at)), { recursive: true });
    cpSync(source, join(fresh, at), {
      recursive: true,
      filter: (path) => isNeededAtRunTime(path.slice(source.length)),
    });
  }
  rmSync(to, { recursive: true, force: true });
  renameSync(fresh, to);
  writeFileSync(manifest, wanted);
}

/** Packages of types, and the argument parser of proto-loader's own command line, are never loaded. */
function isCode(name: string): boolean {
  return !name.startsWith('@types/') && name !== 'yargs';
}

/** Types, sources, maps and prose of a package are not. */
export function isNeededAtRunTime(path: string): boolean {
  return !/(^\/(test|node_modules)(\/|$))|\.([cm]?ts|map|md|markdown)$/.test(path);
}

function resolvePackage(name: string, from: string): Installed {
  for (let dir = from; ; dir = dirname(dir)) {
    const candidate = join(dir, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return readPackage(realpathSync(candidate));
    if (dir === dirname(dir)) throw new Error(`${name}, wanted by ${from}, is not installed: run "pnpm install"`);
  }
}

function readPackage(path: string): Installed {
  const { name, version, dependencies } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    dependencies?: Record<string, string>;
  };
  return { name, version, path, dependencies: Object.keys(dependencies ?? {}) };
}
