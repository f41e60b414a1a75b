import { chmod, mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exec, tryExec } from '../exec.ts';
import { nodeDir, sharedVolumes, stateDir } from '../paths.ts';
import type { Action } from './plan.ts';
import { storageBytes } from './plan.ts';

export const volumePath = (volume: string, node: string | undefined): string =>
  node === undefined ? join(sharedVolumes, volume) : join(nodeDir(node), 'volumes', volume);

/** Names of all volumes there are files of, on any node. */
export async function volumeNames(): Promise<string[]> {
  const list = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);
  const nodes = await list(join(stateDir, 'nodes'));
  const dirs = [sharedVolumes, ...nodes.map((node) => join(nodeDir(node), 'volumes'))];
  return (await Promise.all(dirs.map(list))).flat();
}

/** A directory, or the node of a loop device on a sparse file beside it. Done again after a crash it finds what it made. */
export async function makeVolume(action: Extract<Action, { do: 'provision' }>): Promise<string> {
  const path = volumePath(action.volume, action.node);
  await mkdir(dirname(path), { recursive: true });
  if (!action.block) {
    await mkdir(path, { recursive: true });
    // Whoever the pod runs as; the kubelet narrows it to the pod's fsGroup.
    await chmod(path, 0o777);
    return path;
  }
  const file = `${path}.img`;
  await writeFile(file, '', { flag: 'a' });
  await truncate(file, storageBytes(action.claim.spec.resources?.requests?.storage ?? '1Gi'));
  const had =
    (await exec('losetup', ['--noheadings', '--output', 'NAME', '--associated', file])).trim().split('\n')[0] ?? '';
  const loop = had !== '' ? had : (await exec('losetup', ['--find', '--show', file])).trim();
  await rm(path, { force: true });
  const { rdev } = await stat(loop);
  await exec('mknod', [
    '-m',
    '660',
    path,
    'b',
    String((rdev >> 8) & 0xfff),
    String((rdev & 0xff) | ((rdev >> 12) & 0xfff00)),
  ]);
  return path;
}

export async function removeVolume(action: Extract<Action, { do: 'remove' }>): Promise<void> {
  if (action.block) {
    const loops =
      (await tryExec('losetup', ['--noheadings', '--output', 'NAME', '--associated', `${action.path}.img`])) ?? '';
    for (const loop of loops.split('\n')) if (loop.trim() !== '') await tryExec('losetup', ['--detach', loop.trim()]);
    await rm(`${action.path}.img`, { force: true });
  }
  await rm(action.path, { recursive: true, force: true });
}
