import { join } from 'node:path';
import { cgroupName, nodeDir } from '../paths.ts';
import type { CgroupMount } from './cgroup-mounts.ts';
import { createCgroup, joinCgroup, mountCgroups } from './cgroup-mounts.ts';
import { nodeNetworkLines } from './cni.ts';
import type { NodePlan } from './plan.ts';

/**
 * Directories that a node has to itself, at the paths that kubelets, CNI and DaemonSets expect. The host gets empty
 * mount points where it has none. /run is a tmpfs of the node's own, and with it /var/run/kubevirt, /run/containerd, /run/netns …
 */
export const privateDirs = [
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/cni',
  '/var/lib/kubevirt',
  '/var/lib/kubevirt-node-labeller',
  '/var/lib/yagura',
  '/var/log/pods',
  '/var/log/containers',
  '/etc/cni/net.d',
  '/opt/cni/bin',
] as const;

/** Kernel settings of the whole machine that a kubelet would change: it finds them as it wants them, and changes nothing. */
const kubeletSysctls: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

export const hostDirOf = (node: string, dir: string): string =>
  join(nodeDir(node), 'dirs', dir.slice(1).replaceAll('/', '-'));
export const servicesOf = (node: string): string => join(nodeDir(node), 'services');

/** The script of the node's first process, which ends as s6-svscan: it reaps, and starts containerd, kubelet and kube-proxy. */
export function renderInit(node: NodePlan, nodes: readonly NodePlan[], cgroups: readonly CgroupMount[]): string {
  return [
    '#!/bin/sh',
    'set -e',
    `hostname ${node.name}`,
    'mount -t proc proc /proc',
    'mount -t sysfs sysfs /sys',
    ...mountCgroups(cgroups),
    'mount -t tmpfs -o mode=755 tmpfs /run',
    'mkdir -p /run/lock /run/netns /run/kubevirt /run/kubevirt-private',
    'mount -t tmpfs -o mode=1777 tmpfs /dev/shm',
    ...privateDirs.map((dir) => `mount --bind ${hostDirOf(node.name, dir)} ${dir}`),
    `[ ! -e /etc/machine-id ] || mount --bind ${join(nodeDir(node.name), 'machine-id')} /etc/machine-id`,
    'mkdir /run/sysctl',
    ...Object.entries(kubeletSysctls).flatMap(([name, value]) => {
      const file = `/run/sysctl/${name.replaceAll('/', '.')}`;
      return [`[ ! -e /proc/sys/${name} ] || { echo ${value} > ${file}; mount --bind ${file} /proc/sys/${name}; }`];
    }),
    'n=0; until [ -e /sys/class/net/eth0 ]; do n=$((n+1)); [ $n -lt 300 ] || { echo "no eth0 after 30 s"; exit 1; }; sleep 0.1; done',
    ...nodeNetworkLines(node, nodes),
    // What mounts inside the node (kubelet, Bidirectional host paths) must propagate inside it.
    'mount --make-rshared /',
    `exec s6-svscan ${servicesOf(node.name)}`,
    '',
  ].join('\n');
}

/**
 * The script of a daemon that becomes the parent of the node's first process. It is in the node's cgroup when it unshares
 * the cgroup namespace, which makes that cgroup the root; then it moves down, since cgroup v2 hands no controllers from a
 * cgroup that holds processes.
 */
export function renderEnter(node: NodePlan, cgroups: readonly CgroupMount[]): string {
  const cgroup = `${cgroupName}/${node.name}/init`;
  return [
    '#!/bin/sh',
    'set -e',
    ...createCgroup(cgroups, cgroup),
    ...joinCgroup(cgroups, cgroup),
    `exec unshare --mount --propagation private --net --uts --ipc --pid --fork --kill-child /bin/sh ${join(nodeDir(node.name), 'init.sh')}`,
    '',
  ].join('\n');
}

export const enterNamespaces = (node: NodePlan): string[] => [
  `exec unshare --cgroup /bin/sh ${join(nodeDir(node.name), 'enter.sh')}`,
];
