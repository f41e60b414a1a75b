import {
  isPrimaryNetwork,
  type Network,
  type NetworkInterfaceStatus,
  type Pod,
  podInterfaceName,
  secondaryNetworks,
  type VirtualMachineInstance,
} from '@yagura/api';
import { attachedInterfaces, primaryInterface } from './network-status.ts';

const MULTUS = 'multus-status';

/**
 * `status.interfaces` with virt-controller's part brought up to date: the pod's interface of each network, and whether
 * Multus knows of it. Everything else, the order too, is virt-handler's and stays as it is.
 */
export function interfaceStatuses(vmi: VirtualMachineInstance, pod: Pod | undefined): NetworkInterfaceStatus[] {
  const known = vmi.status?.interfaces ?? [];
  // Without a pod nothing is known, which is no reason to take anything away.
  if (pod === undefined) return known;
  const primary = (vmi.spec.networks ?? []).find(isPrimaryNetwork);
  const attached = attachedInterfaces(pod);
  const secondary = new Map(inUseAlso(vmi).map((network) => [network.name, network]));
  const kept = known.flatMap((entry) => {
    if (entry.name === undefined) return [entry];
    if (entry.name === primary?.name) return [{ ...entry, podInterfaceName: primaryInterface(pod) }];
    const network = secondary.get(entry.name);
    if (attached === undefined) return [entry];
    if (network && attached.has(podInterfaceName(network))) return [withMultus(entry, network)];
    return withoutMultus(entry);
  });
  const isNew = ({ name }: Network) => !known.some((entry) => entry.name === name);
  return [
    ...(primary && isNew(primary) ? [{ name: primary.name, podInterfaceName: primaryInterface(pod) }] : []),
    ...kept,
    ...[...secondary.values()]
      .filter((network) => isNew(network) && attached?.has(podInterfaceName(network)))
      .map((network) => withMultus({ name: network.name }, network)),
  ];
}

/** Interfaces that are to be absent and that the guest has still: their networks must not go before them. */
export function interfacesInUse(vmi: VirtualMachineInstance): ReadonlySet<string> {
  const entries = (vmi.status?.interfaces ?? []).filter((entry) => sources(entry).includes('domain'));
  return new Set(entries.flatMap(({ name }) => (name === undefined ? [] : [name])));
}

/** Networks of the spec that the guest is to have and the pod has not; undefined when that is not known. */
export function unattachedNetworks(vmi: VirtualMachineInstance, pod: Pod | undefined): Network[] | undefined {
  const attached = attachedInterfaces(pod);
  if (attached === undefined) return undefined;
  return pod ? secondaryNetworks(vmi.spec).filter((network) => !attached.has(podInterfaceName(network))) : [];
}

function inUseAlso(vmi: VirtualMachineInstance): Network[] {
  return secondaryNetworks(vmi.spec, new Set((vmi.spec.networks ?? []).map(({ name }) => name)));
}

function withMultus(entry: NetworkInterfaceStatus, network: Network): NetworkInterfaceStatus {
  return {
    ...entry,
    podInterfaceName: podInterfaceName(network),
    infoSource: [...new Set([...sources(entry), MULTUS])].join(', '),
  };
}

/** An entry that only Multus knew of is none any more. */
function withoutMultus(entry: NetworkInterfaceStatus): NetworkInterfaceStatus[] {
  const { podInterfaceName: _, ...rest } = entry;
  if (!sources(entry).includes(MULTUS)) return [entry];
  const infoSource = sources(entry).filter((source) => source !== MULTUS);
  return infoSource.length === 0 ? [] : [{ ...rest, infoSource: infoSource.join(', ') }];
}

function sources({ infoSource }: NetworkInterfaceStatus): string[] {
  return infoSource ? infoSource.split(', ') : [];
}
