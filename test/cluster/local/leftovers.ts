import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tryExec } from '../exec.ts';
import { readText } from '../files.ts';
import { runDir, stateDir } from '../paths.ts';
import { volumeNames } from '../storage/volumes.ts';
import { clusterProcesses, leftCgroups } from './cgroup-tree.ts';
import { forwardRules, nftTable } from './host-network.ts';
import { network } from './plan.ts';

export type LeftoverKind = 'process' | 'cgroup' | 'mount' | 'link' | 'nft' | 'iptables' | 'loop' | 'directory';

export interface Leftover {
  readonly kind: LeftoverKind;
  readonly name: string;
}

const ours = (path: string): boolean => [stateDir, runDir].some((dir) => path === dir || path.startsWith(`${dir}/`));

/** Mount points of this mount namespace that lie in, or show, the cluster's directories. */
export function clusterMounts(mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , , root = '', point = '']) => ours(point) || ours(root.replace(/\/\/deleted$/, '')))
    .map(([, , , , point = '']) => point);
}

export function clusterLinks(names: readonly string[]): string[] {
  const { bridge, linkPrefix, lanBridge, lanLinkPrefix } = network;
  return names.filter(
    (name) => name === bridge || name === lanBridge || name.startsWith(linkPrefix) || name.startsWith(lanLinkPrefix),
  );
}

/** From `losetup --json --list`. A kubelet adds a loop device of its own to each block volume; its file bears the volume's name. */
export function clusterLoops(json: string, volumes: readonly string[]): string[] {
  if (json.trim() === '') return [];
  const { loopdevices } = JSON.parse(json) as { loopdevices: { name: string; 'back-file': string | null }[] };
  const isOurs = (file: string): boolean => ours(file) || file.split('/').some((part) => volumes.includes(part));
  return loopdevices
    .filter((loop) => isOurs((loop['back-file'] ?? '').replace(/ \(deleted\)$/, '')))
    .map((loop) => loop.name);
}

export async function loopDevices(): Promise<string[]> {
  const list = (await tryExec('losetup', ['--json', '--list', '--output', 'NAME,BACK-FILE'])) ?? '';
  return clusterLoops(list, await volumeNames());
}

export async function linkNames(): Promise<string[]> {
  const links = JSON.parse((await tryExec('ip', ['-j', 'link', 'show'])) ?? '[]') as { ifname: string }[];
  return links.map((link) => link.ifname);
}

/** Everything on this machine that belongs to a local cluster, of this or another checkout, alive or not. */
export async function leftovers(): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const add = (kind: LeftoverKind, names: readonly string[]): void => {
    for (const name of names) found.push({ kind, name });
  };
  for (const pid of await clusterProcesses()) {
    const command = (await readText(`/proc/${pid}/cmdline`))?.replaceAll('\0', ' ').trim();
    add('process', [`${pid} ${command ?? ''}`]);
  }
  add('cgroup', await leftCgroups());
  add('mount', clusterMounts(await readFile('/proc/self/mountinfo', 'utf8')));
  add('link', clusterLinks(await linkNames()));
  if ((await tryExec('nft', ['list', 'table', 'ip', nftTable]).catch(() => undefined)) !== undefined)
    add('nft', [`table ip ${nftTable}`]);
  for (const rule of forwardRules)
    if ((await tryExec('iptables', ['-C', ...rule]).catch(() => undefined)) !== undefined)
      add('iptables', [rule.join(' ')]);
  add('loop', await loopDevices());
  add(
    'directory',
    [stateDir, runDir].filter((dir) => existsSync(dir)),
  );
  return found;
}
