import { readFile } from 'node:fs/promises';

/** A process that is who we think it is: a number alone may have been given to another since. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, from /proc. */
  startTicks: string;
}

/** Reads a pid file and checks that the process' name begins with `name` (the kernel keeps 15 characters of it). */
export async function processOf(pidFile: string, name: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const stat = await readStat(pid);
  return stat?.name.startsWith(name.slice(0, 15)) && stat.state !== 'Z'
    ? { pid, startTicks: stat.startTicks }
    : undefined;
}

export async function isAlive({ pid, startTicks }: ProcessIdentity): Promise<boolean> {
  const stat = await readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && stat.state !== 'Z';
}

/** SIGKILL; false when the process is gone already. */
export async function killProcess(identity: ProcessIdentity): Promise<boolean> {
  if (!(await isAlive(identity))) return false;
  try {
    process.kill(identity.pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

async function readStat(pid: number): Promise<{ name: string; state: string; startTicks: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return parseStat(text);
}

/** Name, state and start time of /proc/PID/stat; the name may hold blanks and parentheses. */
export function parseStat(text: string): { name: string; state: string; startTicks: string } | undefined {
  const match = /^\d+ \((.*)\) (\S)((?: -?\d+)*)/s.exec(text);
  const startTicks = match?.[3]?.trim().split(' ')[18];
  if (match?.[1] === undefined || match[2] === undefined || startTicks === undefined) return undefined;
  return { name: match[1], state: match[2], startTicks };
}
