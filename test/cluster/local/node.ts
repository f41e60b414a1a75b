import { randomBytes } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, rename } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@yagura/kube/testing/eventually';
import { exec } from '../exec.ts';
import { readText, writeIfChanged } from '../files.ts';
import { nodeDir } from '../paths.ts';
import { networksTool, toolPath } from '../tools.ts';
import { parseCgroupMounts } from './cgroup-mounts.ts';
import { endCgroups, endProcesses } from './cleanup.ts';
import { cniConfigName, networksPlugin, networksService, renderCni } from './cni.ts';
import { cniBinDir, containerdConfig, containerdConfigPath, containerdService } from './containerd.ts';
import { plugNode } from './host-network.ts';
import { proxyConfigPath, proxyKubeconfigPath, proxyService, renderProxy } from './kube-proxy.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { kubeletConfigPath, kubeletKubeconfigPath, kubeletService, renderKubelet } from './kubelet.ts';
import { enterNamespaces, hostDirOf, privateDirs, renderEnter, renderInit, servicesOf } from './node-init.ts';
import type { NodePlan } from './plan.ts';
import { parseMemTotal } from './plan.ts';
import { recordProcess, runningProcess } from './processes.ts';
import type { Service } from './s6.ts';
import { writeService } from './s6.ts';
import { repairServices, startDaemon } from './supervise.ts';

const cniPlugins = '/usr/lib/cni';

/** Renamed into place: what it replaces may be running. */
async function installFile(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.new`);
  await rename(`${to}.new`, to);
}

/** Writes everything the node reads. Answers the services whose configuration changed. */
async function writeNodeFiles(
  node: NodePlan,
  nodes: readonly NodePlan[],
  services: readonly Service[],
): Promise<Set<string>> {
  const changed = new Set<string>();
  const mark = (service: string, did: boolean): void => {
    if (did) changed.add(service);
  };
  for (const dir of privateDirs) await mkdir(hostDirOf(node.name, dir), { recursive: true });
  const cgroups = parseCgroupMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  const machine = {
    milliCpu: availableParallelism() * 1000,
    memoryKi: parseMemTotal(await readFile('/proc/meminfo', 'utf8')),
  };
  await writeIfChanged(join(nodeDir(node.name), 'init.sh'), renderInit(node, nodes, cgroups), 0o755);
  await writeIfChanged(join(nodeDir(node.name), 'enter.sh'), renderEnter(node, cgroups), 0o755);
  if ((await readText(join(nodeDir(node.name), 'machine-id'))) === undefined)
    await writeIfChanged(join(nodeDir(node.name), 'machine-id'), `${randomBytes(16).toString('hex')}\n`);
  await writeIfChanged(join(hostDirOf(node.name, '/etc/cni/net.d'), cniConfigName), renderCni(node));
  await cp(cniPlugins, hostDirOf(node.name, cniBinDir), { recursive: true, force: false });
  await installFile(await toolPath(networksTool), join(hostDirOf(node.name, cniBinDir), networksPlugin));
  mark('containerd', await writeIfChanged(containerdConfigPath(node), containerdConfig));
  mark(
    'kubelet',
    await writeIfChanged(kubeletConfigPath(node), renderKubelet(node, machine, nodes.length, nodes.indexOf(node))),
  );
  mark('kubelet', await writeKubeconfig(kubeletKubeconfigPath(node), node.name));
  mark('kube-proxy', await writeIfChanged(proxyConfigPath(node), renderProxy(node)));
  mark('kube-proxy', await writeKubeconfig(proxyKubeconfigPath, 'kube-proxy'));
  await mkdir(servicesOf(node.name), { recursive: true });
  for (const service of services) mark(service.name, await writeService(servicesOf(node.name), service));
  return changed;
}

export const nodeServices = (node: NodePlan, kubernetes: string): Service[] => [
  containerdService(node),
  kubeletService(node, kubernetes),
  proxyService(node, kubernetes),
  networksService(node),
];

/** Brings the node up, or repairs it. Answers what it had to do. */
export async function ensureNode(
  node: NodePlan,
  nodes: readonly NodePlan[],
  kubernetes: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const services = nodeServices(node, kubernetes);
  const changed = await writeNodeFiles(node, nodes, services);
  if ((await runningProcess(node.name)) !== undefined) return repairServices(servicesOf(node.name), services, changed);
  await startNode(node, signal);
  return [`started ${node.name}`];
}

/** Starts the node's first process in its namespaces; its files must have been written. */
export async function startNode(node: NodePlan, signal?: AbortSignal): Promise<void> {
  // What a lost node left: a kubelet would wait seconds for each of its dead containers.
  await endProcesses(node.name, signal);
  await endCgroups(node.name, signal);
  const parent = await startDaemon(node.name, node.name, enterNamespaces(node));
  const log = `(see .local/logs/${node.name}.log)`;
  const first = () => firstChild(parent);
  const init = await eventually(`first process of ${node.name} ${log}`, 10_000, first, { everyMs: 20, signal });
  await recordProcess(node.name, init);
  await plugNode(node, init);
  const supervises = async () => (await exec('cat', [`/proc/${init}/comm`])).trim() === 's6-svscan';
  await eventually(`running ${node.name} ${log}`, 15_000, supervises, { everyMs: 50, signal });
}

async function firstChild(pid: number): Promise<number | undefined> {
  // The shell that prepares the cgroups has children of its own: only unshare's child is the node's first process. So
  // what runs is asked first: children that were read before could be the shell's, dead by now.
  const command = (await readText(`/proc/${pid}/cmdline`))?.split('\0') ?? [];
  const children = (await readText(`/proc/${pid}/task/${pid}/children`))?.trim();
  if (children === undefined) throw new Error('its parent ended');
  return command[0] === 'unshare' && command.includes('--fork') && children !== ''
    ? Number(children.split(' ')[0])
    : undefined;
}

/** Node loss: its first process is killed, and all its processes, mounts and interfaces go with it. */
export async function killNode(name: string): Promise<void> {
  const pid = await runningProcess(name);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  await eventually(`end of ${name}`, 10_000, async () => (await runningProcess(name)) === undefined);
}
