import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@yagura/kube/testing/eventually';
import { cgroupName, logs } from '../paths.ts';
import { createCgroup, joinCgroup, parseCgroupMounts } from './cgroup-mounts.ts';
import { daemonMark } from './cgroup-tree.ts';
import { recordProcess, runningProcess } from './processes.ts';
import type { Service } from './s6.ts';
import { rescan, restartService, serviceState, startService, writeService } from './s6.ts';

/** What daemons get: nothing of the caller's environment that could change them (proxies, GODEBUG, locale). */
export const daemonEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
};

/** Starts a shell script as a daemon of this cluster: in its own session and in the cgroup that `down` clears. Answers its process id. */
export async function startDaemon(
  name: string,
  cgroup: string,
  script: readonly string[],
  env: NodeJS.ProcessEnv = daemonEnv,
): Promise<number> {
  const mounts = parseCgroupMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  const path = `${cgroupName}/${cgroup}`;
  const text = ['set -e', ...createCgroup(mounts, path), ...joinCgroup(mounts, path), ...script].join('\n');
  await mkdir(logs, { recursive: true });
  const log = openSync(join(logs, `${name}.log`), 'a');
  try {
    const child = spawn('/bin/sh', ['-c', text], {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...env, [daemonMark]: name },
      cwd: '/',
    });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    if (child.pid === undefined) throw new Error(`${name}: no process`);
    return child.pid;
  } finally {
    closeSync(log);
  }
}

/** Brings one s6-svscan and its services to what is wanted. Answers what it had to do. */
export async function ensureSupervised(name: string, scanDir: string, services: readonly Service[]): Promise<string[]> {
  const did: string[] = [];
  const changed = new Set<string>();
  await mkdir(scanDir, { recursive: true });
  for (const service of services) if (await writeService(scanDir, service)) changed.add(service.name);
  if ((await runningProcess(name)) === undefined) {
    const pid = await startDaemon(name, name, [`exec s6-svscan ${scanDir}`]);
    await recordProcess(name, pid);
    return [`started ${services.map((service) => service.name).join(', ')}`];
  }
  did.push(...(await repairServices(scanDir, services, changed)));
  return did;
}

/** For a supervisor that runs: restarts changed services, starts those that are down. */
export async function repairServices(
  scanDir: string,
  services: readonly Service[],
  changed: ReadonlySet<string>,
): Promise<string[]> {
  const did: string[] = [];
  for (const service of services) {
    const state = await serviceState(scanDir, service.name);
    if (state.state === 'unsupervised') {
      await rescan(scanDir);
      const supervised = async () => (await serviceState(scanDir, service.name)).state !== 'unsupervised';
      await eventually(`supervisor of ${service.name}`, 5000, supervised);
      did.push(`started ${service.name}`);
    } else if (state.state === 'down') {
      await startService(scanDir, service.name);
      did.push(`started ${service.name}`);
    } else if (changed.has(service.name)) {
      await restartService(scanDir, service.name);
      did.push(`restarted ${service.name}`);
    }
  }
  return did;
}
