import { attachmentDefinition, COMPUTE_CONTAINER, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { defineResource, isNotFound, type KubeClient, type KubeObject } from '@yagura/kube';

const NetworkAttachmentDefinitions = defineResource<KubeObject>(
  'k8s.cni.cncf.io/v1',
  'NetworkAttachmentDefinition',
  'network-attachment-definitions',
);
/** On a definition: the resource of a device plugin that each pod on the network takes one of. */
const RESOURCE_NAME = 'k8s.v1.cni.cncf.io/resourceName';

export type NetworkDefinitions =
  | { /** Devices of the node that the networks take, by resource. */ resources: Record<string, number> }
  | { problem: string };

/** Looks up the definitions of all Multus networks of an instance, so that a missing one is told by its name. */
export async function networkDefinitions(
  client: Pick<KubeClient, 'get'>,
  { metadata, spec }: VirtualMachineInstance,
  signal: AbortSignal,
): Promise<NetworkDefinitions> {
  const resources: Record<string, number> = {};
  for (const { name, multus } of spec.networks ?? []) {
    if (!multus) continue;
    const target = attachmentDefinition(multus.networkName, metadata.namespace ?? '');
    try {
      const found = await client.get(NetworkAttachmentDefinitions, target, {}, signal);
      const resource = found.metadata?.annotations?.[RESOURCE_NAME];
      if (resource) resources[resource] = (resources[resource] ?? 0) + 1;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const definition = `NetworkAttachmentDefinition ${target.namespace}/${target.name}`;
      return { problem: `network ${name} needs ${definition}, which does not exist` };
    }
  }
  return { resources };
}

/** The pod with the devices that its networks take, which the scheduler must find on a node. */
export function withNetworkDevices(pod: Pod, devices: Readonly<Record<string, number>>): Pod {
  const amounts = Object.fromEntries(Object.entries(devices).map(([name, amount]) => [name, String(amount)]));
  if (Object.keys(amounts).length === 0) return pod;
  const containers = pod.spec.containers.map((container) => {
    if (container.name !== COMPUTE_CONTAINER) return container;
    const { requests, limits } = container.resources ?? {};
    const resources = {
      ...container.resources,
      requests: { ...requests, ...amounts },
      limits: { ...limits, ...amounts },
    };
    return { ...container, resources };
  });
  return { ...pod, spec: { ...pod.spec, containers } };
}
