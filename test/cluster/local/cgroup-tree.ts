import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readText } from '../files.ts';
import { cgroupName } from '../paths.ts';
import { parseCgroupMounts } from './cgroup-mounts.ts';

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

/** Whatever runs in those cgroups, or bears the mark, is the cluster's, whichever checkout started it. */
export async function clusterProcesses(daemon?: string): Promise<number[]> {
  const pids = new Set(await markedProcesses(daemon));
  for (const dir of await clusterCgroups(daemon)) {
    for (const line of ((await readText(join(dir, 'cgroup.procs'))) ?? '').split('\n'))
      if (line !== '' && line !== '0') pids.add(Number(line));
  }
  return [...pids];
}

/** Removes the empty ones; those of processes that are still ending stay for the next try. */
export async function removeCgroups(node?: string): Promise<number> {
  let left = 0;
  for (const dir of await clusterCgroups(node)) {
    try {
      await rmdir(dir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') left++;
    }
  }
  return left;
}
