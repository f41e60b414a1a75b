import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Evidence } from './outcome.ts';

// cgroup v2, then v1; inside a container the pod's own group is the root of the mount.
const OOM_FILES = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'];

/** Reads what the kernel and QEMU left behind. */
export async function gatherEvidence(qemuLogDirectory: string, domainName: string): Promise<Evidence> {
  const log = await readFile(join(qemuLogDirectory, `${domainName}.log`), 'utf8').catch(() => '');
  const counters = await Promise.all(OOM_FILES.map(async (file) => readFile(file, 'utf8').catch(() => '')));
  return { outOfMemory: counters.some((text) => oomKills(text) > 0), qemuLog: lastWords(log) };
}

export function oomKills(text: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The last line of this run in which QEMU itself complained; libvirt's own lines begin with a date. */
export function lastWords(log: string): string | undefined {
  const run = log.slice(log.lastIndexOf(': starting up') + 1);
  const lines = run.split('\n').map((line) => line.replace(/^\S+ (?=qemu)/, ''));
  return lines.findLast((line) => /^(?:\S*qemu\S*): /.test(line))?.trim();
}
