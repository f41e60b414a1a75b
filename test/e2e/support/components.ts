import { list, nodeExec, productNamespace } from './cluster.ts';
import type { PodObject } from './machines.ts';

export type Component = 'virt-api' | 'virt-controller' | 'virt-handler';

/** A running pod of a component; of virt-handler the one on a node. */
export async function componentPod(component: Component, node?: string): Promise<PodObject> {
  const field = node === undefined ? 'status.phase=Running' : `status.phase=Running,spec.nodeName=${node}`;
  const selector = ['-l', `kubevirt.io=${component}`, `--field-selector=${field}`];
  const [pod] = await list<PodObject>('pods', '-n', productNamespace, ...selector);
  if (pod === undefined) throw new Error(`no pod of ${component} runs${node === undefined ? '' : ` on ${node}`}`);
  return pod;
}

/** Sends a signal to our process of a pod, from the node: the first process of a container cannot be killed from within. */
export async function signalComponent(pod: PodObject, signal: 'KILL' | 'STOP' | 'CONT'): Promise<void> {
  const { uid } = pod.metadata;
  const cgroup = `${uid}|${uid.replaceAll('-', '_')}`;
  const script = `found=; for f in /proc/[0-9]*; do grep -qE '${cgroup}' $f/cgroup 2>/dev/null && tr '\\0' ' ' < $f/cmdline | grep -q 'main[.]mjs' && kill -${signal} \${f#/proc/} && found=1; done; [ -n "$found" ]`;
  await nodeExec(pod.spec.nodeName ?? '', 'sh', '-c', script);
}
