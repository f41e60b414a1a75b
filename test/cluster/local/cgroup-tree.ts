import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readText } from '../files.ts';
import { cgroupName } from '../paths.ts';
import { parseCgroupMounts } from './cgroup-mounts.ts';
import { parseState } from './processes.ts';

/** The cluster's cgroups (or one node's) in every hierarchy, the deepest first. */
export async function clusterCgroups(node?: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (dir: string): Promise<void> => {
    const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (entries === undefined) return;
    for (const entry of entries) if (entry.isDirectory()) await walk(join(dir, entry.name));
    found.push(dir);
  };
  for (const mount of parseCgroupMounts(await readFile('/proc/self/mountinfo', 'utf8')))
    await walk(join(mount.path, cgroupName, node ?? ''));
  return found;
}

/** In the environment of every daemon, for the moment between its start and its entry into its cgroup. */
export const daemonMark = 'YAGURA_LOCAL_CLUSTER';

async function markedProcesses(daemon: string | undefined): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // One that may not be read is not ours.
    const environment = (await readText(`/proc/${pid}/environ`).catch(() => undefined))?.split('\0') ?? [];
    if (
      environment.some((each) =>
        daemon === undefined ? each.startsWith(`${daemonMark}=`) : each === `${daemonMark}=${daemon}`,
      )
    )
      found.push(Number(pid));
  }
  return found;
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readText(`/proc/${pid}/stat`);
  return stat !== undefined && !['Z', 'X'].includes(parseState(stat));
}

async function processesIn(dir: string): Promise<number[]> {
  const lines = ((await readText(join(dir, 'cgroup.procs'))) ?? '').split('\n');
  return lines.filter((line) => line !== '' && line !== '0').map(Number);
}

/** Whatever runs in those cgroups, or bears the mark, is the cluster's, whichever checkout started it. */
export async function clusterProcesses(daemon?: string): Promise<number[]> {
  const pids = new Set(await markedProcesses(daemon));
  for (const dir of await clusterCgroups(daemon)) for (const pid of await processesIn(dir)) pids.add(pid);
  const alive: number[] = [];
  for (const pid of pids) if (await isAlive(pid)) alive.push(pid);
  return alive;
}

/**
 * Of the cgroups, the deepest first, those that only the dead are in, or above such. On a machine whose first process does
 * not reap they cannot be removed, and do no harm: the next cluster uses them again.
 */
async function heldByTheDead(dirs: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>();
  for (const dir of dirs) {
    const pids = await processesIn(dir);
    const states = await Promise.all(pids.map(isAlive));
    const above = [...held].some((each) => each.startsWith(`${dir}/`));
    if ((pids.length > 0 || above) && !states.includes(true)) held.add(dir);
  }
  return held;
}

/** Those that should not be there when the cluster is gone. */
export async function leftCgroups(): Promise<string[]> {
  const dirs = await clusterCgroups();
  const held = await heldByTheDead(dirs);
  return dirs.filter((dir) => !held.has(dir));
}

/** Removes the empty ones; answers how many a further try may remove: a cgroup stays busy for a moment after its last process. */
export async function removeCgroups(node?: string): Promise<number> {
  const failed: string[] = [];
  for (const dir of await clusterCgroups(node)) {
    try {
      await rmdir(dir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failed.push(dir);
    }
  }
  return failed.length - (await heldByTheDead(failed)).size;
}
