import { createHash } from 'node:crypto';
import { ANNOTATIONS } from './annotations.ts';
import type { Network, VirtualMachineInstance, VirtualMachineInstanceSpec } from './types.ts';

/** Where a container runtime puts the pod's own network. */
export const PRIMARY_POD_INTERFACE = 'eth0';

/** Whether the network is the pod's own: that of the cluster, or the Multus network that takes its place. */
export function isPrimaryNetwork(network: Network): boolean {
  return Boolean(network.pod) || network.multus?.default === true;
}

/** Name of the network's interface in the pod: 14 characters for a secondary one, the kernel's limit being 15. */
export function podInterfaceName(network: Network): string {
  if (isPrimaryNetwork(network)) return PRIMARY_POD_INTERFACE;
  return `pod${createHash('sha256').update(network.name).digest('hex').slice(0, 11)}`;
}

/** A NetworkAttachmentDefinition by namespace and name; `networkName` may leave the namespace to the instance. */
export function attachmentDefinition(networkName: string, namespace: string): { namespace: string; name: string } {
  const [first = '', second] = networkName.split('/');
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}

/**
 * Networks that Multus is to attach beside the pod's own, in the order of the spec.
 * @param inUse interfaces that are to be absent and that the guest has still
 */
export function secondaryNetworks(spec: VirtualMachineInstanceSpec, inUse: ReadonlySet<string> = new Set()): Network[] {
  const absent = (spec.domain.devices.interfaces ?? []).filter(({ state }) => state === 'absent').map(nameOf);
  const gone = new Set(absent.filter((name) => !inUse.has(name)));
  return (spec.networks ?? []).filter(
    (network) => network.multus && !isPrimaryNetwork(network) && !gone.has(network.name),
  );
}

/** What the launcher's pod asks Multus for, as annotations; empty when the pod's own network is all. */
export function multusAnnotations(
  { metadata, spec }: VirtualMachineInstance,
  inUse?: ReadonlySet<string>,
): Record<string, string> {
  const namespace = metadata.namespace ?? '';
  const requests = secondaryNetworks(spec, inUse).map((network) => {
    const mac = spec.domain.devices.interfaces?.find(({ name }) => name === network.name)?.macAddress;
    const { name, namespace: definedIn } = attachmentDefinition(network.multus?.networkName ?? '', namespace);
    return { name, namespace: definedIn, ...(mac ? { mac } : {}), interface: podInterfaceName(network) };
  });
  const primary = spec.networks?.find(({ multus }) => multus?.default === true)?.multus?.networkName;
  return {
    ...(requests.length > 0 ? { [ANNOTATIONS.multusNetworks]: JSON.stringify(requests) } : {}),
    ...(primary ? { [ANNOTATIONS.multusDefaultNetwork]: primary } : {}),
  };
}

function nameOf({ name }: { name: string }): string {
  return name;
}
