import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, writeIfChanged } from '../files.ts';
import { runDir } from '../paths.ts';

/** A process as it can be told from a later one of the same number. */
export interface ProcessRecord {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks since boot. */
  readonly startTime: string;
  readonly bootId: string;
}

const fileOf = (name: string): string => join(runDir, `${name}.pid.json`);

export function parseStartTime(stat: string): string {
  // The command's name may hold spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

export function parseState(stat: string): string {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0] ?? '';
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

export async function recordProcess(name: string, pid: number): Promise<void> {
  const stat = await readText(`/proc/${pid}/stat`);
  if (stat === undefined) throw new Error(`${name} (process ${pid}) ended as soon as it began; see .local/logs`);
  const record: ProcessRecord = { pid, startTime: parseStartTime(stat), bootId: await bootId() };
  await writeIfChanged(fileOf(name), JSON.stringify(record));
  await writeIfChanged(join(runDir, `${name}.pid`), `${pid}\n`);
}

/** The number of the recorded process, if that very process still runs. */
export async function runningProcess(name: string): Promise<number | undefined> {
  const text = await readText(fileOf(name));
  if (text === undefined || text === '') return undefined;
  const record = JSON.parse(text) as ProcessRecord;
  const stat = await readText(`/proc/${record.pid}/stat`);
  if (stat === undefined || parseState(stat) === 'Z' || parseStartTime(stat) !== record.startTime) return undefined;
  return record.bootId === (await bootId()) ? record.pid : undefined;
}
