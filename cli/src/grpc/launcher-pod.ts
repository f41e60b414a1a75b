import { defineResource, isNotFound, type KubeClient, type KubeObject, type ObjectName, Pods } from '@yagura/kube';
import { UsageError } from '../errors.ts';
import type { Target } from '../target.ts';

const VirtualMachineInstances = defineResource<KubeObject>(
  'kubevirt.io/v1',
  'VirtualMachineInstance',
  'virtualmachineinstances',
);

interface PodView extends KubeObject {
  spec?: { nodeName?: string };
  status?: { phase?: string };
}

/** The running launcher of a VMI: the one on the VMI's node, should a migration have made two. */
export async function findLauncher(
  client: KubeClient,
  target: Target,
  signal?: AbortSignal,
): Promise<ObjectName & { container: string }> {
  const vmi = await client.get(VirtualMachineInstances, target, {}, signal).catch((error: unknown) => {
    if (isNotFound(error))
      throw new UsageError(`there is no VirtualMachineInstance ${target.namespace}/${target.name}: is it started?`);
    throw error;
  });
  const labelSelector = `kubevirt.io=virt-launcher,kubevirt.io/created-by=${vmi.metadata?.uid ?? ''}`;
  const { items } = await client.list(Pods, { namespace: target.namespace, labelSelector }, signal);
  const running = (items as PodView[]).filter((pod) => pod.status?.phase === 'Running');
  const node = (vmi as { status?: { nodeName?: string } }).status?.nodeName;
  const pod = running.find((candidate) => candidate.spec?.nodeName === node) ?? running[0];
  if (pod?.metadata?.name === undefined)
    throw new UsageError(`no launcher pod of ${target.namespace}/${target.name} runs`);
  return { namespace: target.namespace, name: pod.metadata.name, container: 'compute' };
}
