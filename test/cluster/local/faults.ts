import { eventually } from '@yagura/kube/testing/eventually';
import { exec } from '../exec.ts';
import { kubernetesTool, toolPath } from '../tools.ts';
import { apiGet, readyNodes } from './api.ts';
import { readClusterFile } from './cluster-file.ts';
import { controlPlaneServices } from './control-plane.ts';
import { ensureNode, killNode } from './node.ts';
import { servicesOf } from './node-init.ts';
import { planNodes } from './plan.ts';
import { restartService, startService, stopService } from './s6.ts';

/** What tests do to a local cluster. */
export { killNode as loseNode };

/** Starts a lost node again, as after a reboot, and waits for its kubelet to say that it is ready. */
export async function reviveNode(name: string, signal?: AbortSignal): Promise<void> {
  const cluster = await readClusterFile();
  const nodes = planNodes(cluster?.nodes ?? 0);
  const node = nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`${name}: not one of ${nodes.map((each) => each.name).join(', ')}`);
  const since = new Map([[name, Date.now()]]);
  await ensureNode(node, nodes, await toolPath(kubernetesTool), signal);
  const ready = async (): Promise<boolean> =>
    readyNodes((await apiGet('/api/v1/nodes', signal)).body, since).includes(name);
  await eventually(`ready ${name}`, 90_000, ready, { signal });
}

/** Pulls the cable of a node, on which everything runs on, and plugs it in again. */
export const cutOff = (name: string): Promise<void> => setLink(name, 'down');
export const plugIn = (name: string): Promise<void> => setLink(name, 'up');

async function setLink(name: string, state: 'up' | 'down'): Promise<void> {
  const cluster = await readClusterFile();
  const node = planNodes(cluster?.nodes ?? 0).find((each) => each.name === name);
  if (node === undefined) throw new Error(`${name}: no such node`);
  await exec('ip', ['link', 'set', node.link, state]);
}

export type NodeService = 'containerd' | 'kubelet' | 'kube-proxy';

/** Ends a part of a node, and keeps it down. */
export const stopOnNode = (node: string, service: NodeService): Promise<void> => stopService(servicesOf(node), service);
export const startOnNode = (node: string, service: NodeService): Promise<void> =>
  startService(servicesOf(node), service);

export type ControlPlaneService = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

/** SIGTERM, and started again at once. */
export async function restartControlPlane(service: ControlPlaneService, signal?: AbortSignal): Promise<void> {
  await restartService(controlPlaneServices, service);
  const ready = async (): Promise<boolean> => (await apiGet('/readyz', signal)).status === 200;
  await eventually('ready API server', 90_000, ready, { signal });
}

export const stopControlPlane = (service: ControlPlaneService): Promise<void> =>
  stopService(controlPlaneServices, service);
export const startControlPlane = (service: ControlPlaneService): Promise<void> =>
  startService(controlPlaneServices, service);
