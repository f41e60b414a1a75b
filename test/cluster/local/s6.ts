import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, tryExec } from '../exec.ts';
import { readText, writeIfChanged } from '../files.ts';

export interface Service {
  readonly name: string;
  readonly command: readonly string[];
  /** Shell that must succeed before the command starts, tried until it does. */
  readonly waitFor?: string;
  readonly log: string;
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The `run` file of one service; s6 starts it again whenever it ends. */
export function renderRun(service: Service): string {
  const lines = ['#!/bin/sh', `exec >>${quote(service.log)} 2>&1 </dev/null`];
  if (service.waitFor !== undefined) lines.push(`until ${service.waitFor}; do sleep 0.1; done`);
  lines.push(`exec ${service.command.map(quote).join(' \\\n  ')}`, '');
  return lines.join('\n');
}

/** Writes the service's directory; answers whether what it runs changed. */
export async function writeService(scanDir: string, service: Service): Promise<boolean> {
  const dir = join(scanDir, service.name);
  await mkdir(dir, { recursive: true });
  const changed = await writeIfChanged(join(dir, 'run'), renderRun(service), 0o755);
  await chmod(join(dir, 'run'), 0o755);
  await rm(join(dir, 'down'), { force: true });
  return changed;
}

export async function rescan(scanDir: string): Promise<void> {
  await exec('s6-svscanctl', ['-an', scanDir]);
}

export async function restartService(scanDir: string, name: string): Promise<void> {
  await exec('s6-svc', ['-r', join(scanDir, name)]);
}

export async function startService(scanDir: string, name: string): Promise<void> {
  await exec('s6-svc', ['-u', join(scanDir, name)]);
}

/** For tests: ends the service and keeps it down until it is started again. */
export async function stopService(scanDir: string, name: string): Promise<void> {
  await exec('s6-svc', ['-wD', '-T', '20000', '-d', join(scanDir, name)]);
}

export type ServiceState =
  | { readonly state: 'up'; readonly seconds: number }
  | { readonly state: 'down' }
  | { readonly state: 'unsupervised' };

export async function serviceState(scanDir: string, name: string): Promise<ServiceState> {
  const dir = join(scanDir, name);
  if ((await readText(join(dir, 'run'))) === undefined) return { state: 'unsupervised' };
  const answer = await tryExec('s6-svstat', ['-o', 'up,updownfor', dir]);
  if (answer === undefined) return { state: 'unsupervised' };
  const [up, since] = answer.trim().split(' ');
  return up === 'true' ? { state: 'up', seconds: Number(since) } : { state: 'down' };
}
