import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, writeIfChanged } from '../files.ts';
import { stateDir } from '../paths.ts';

/** The few settings of the whole machine that the cluster needs: what they were is kept and put back by `down`. */
const wanted: Readonly<Record<string, (now: number) => number>> = {
  'net/ipv4/ip_forward': () => 1,
  'fs/inotify/max_user_instances': (now) => Math.max(now, 1024),
  'fs/inotify/max_user_watches': (now) => Math.max(now, 524_288),
};

const saved = join(stateDir, 'sysctls.json');

export async function ensureSysctls(): Promise<void> {
  const before = JSON.parse((await readText(saved)) ?? '{}') as Record<string, number>;
  for (const [name, want] of Object.entries(wanted)) {
    const text = await readText(`/proc/sys/${name}`);
    if (text === undefined) continue;
    const now = Number(text);
    if (want(now) === now) continue;
    before[name] ??= now;
    await writeIfChanged(saved, JSON.stringify(before));
    await writeFile(`/proc/sys/${name}`, String(want(now)));
  }
}

export async function restoreSysctls(): Promise<void> {
  const before = JSON.parse((await readText(saved)) ?? '{}') as Record<string, number>;
  for (const [name, value] of Object.entries(before)) await writeFile(`/proc/sys/${name}`, String(value));
}
