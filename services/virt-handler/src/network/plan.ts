import { type Interface, type Network, podInterfaceName, type VirtualMachineInstance, vcpus } from '@yagura/api';
import { firstHosts } from './cidr.ts';

const DEFAULT_CIDR = '10.0.2.0/24';
/** Link-local addresses of the bridges that DHCP is answered from; the last byte is added to. */
const BRIDGE_ADDRESS = { prefix: '169.254.75.', first: 10, last: 254 };

export interface Port {
  protocol: 'tcp' | 'udp';
  port: number;
}

/** How one interface is attached in the pod's network namespace: a tap device on a bridge of its own. */
interface InterfacePlan {
  /** Interface in the spec. */
  name: string;
  /** The interface that the CNI made for its network. */
  podInterface: string;
  bridge: string;
  tap: string;
  multiQueue: boolean;
  /** From the spec; otherwise the guest gets the MAC of the pod's interface. */
  mac: string | undefined;
}

/** The guest is behind the pod's address. */
export interface MasqueradePlan extends InterfacePlan {
  kind: 'masquerade';
  /** Address of the bridge, the guest's gateway. */
  gateway: string;
  guest: string;
  prefixLength: number;
  /** What is passed on to the guest; everything when empty. */
  ports: Port[];
}

/** The guest takes the pod's place in its network. */
export interface BridgePlan extends InterfacePlan {
  kind: 'bridge';
  /** What the pod's interface is called once it is a port of the bridge. */
  port: string;
  /** The other end of what then holds the pod's addresses under the old name. */
  holderEnd: string;
  /** Address of the bridge, from which DHCP is answered. */
  address: string;
}

export type Plan = MasqueradePlan | BridgePlan;

/** A network that this node cannot build; the message names the interface. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** What is to be built for the interfaces of an instance. Throws for a binding that is not there (yet). */
export function planNetwork(vmi: VirtualMachineInstance): Plan[] {
  return plans(vmi, (nic) => nic.state !== 'absent');
}

/** What may still be there of interfaces that are to be unplugged. */
export function planRemovals(vmi: VirtualMachineInstance): BridgePlan[] {
  return plans(vmi, (nic) => nic.state === 'absent').filter((plan) => plan.kind === 'bridge');
}

function plans(vmi: VirtualMachineInstance, wanted: (nic: Interface) => boolean): Plan[] {
  const interfaces = vmi.spec.domain.devices?.interfaces ?? [];
  return interfaces.flatMap((nic, index): Plan[] => {
    if (!wanted(nic)) return [];
    const network = vmi.spec.networks?.find(({ name }) => name === nic.name);
    if (network === undefined) throw new NetworkError(`interface ${nic.name} has no network of that name`);
    const common = interfacePlan(vmi, nic, network);
    if (nic.masquerade !== undefined && network.pod !== undefined) return [masquerade(nic, network, common)];
    if (nic.bridge !== undefined && (network.pod ?? network.multus) !== undefined) return [bridge(common, index)];
    throw new NetworkError(
      `interface ${nic.name}: only masquerade on the pod network and bridge on it or on a Multus network are supported`,
    );
  });
}

function interfacePlan(vmi: VirtualMachineInstance, nic: Interface, network: Network): InterfacePlan {
  const podInterface = podInterfaceName(network);
  const base = baseName(podInterface);
  return {
    name: nic.name,
    podInterface,
    bridge: `k6t-${base}`,
    tap: base === podInterface ? 'tap0' : `tap${base}`,
    multiQueue: queues(vmi, nic) > 1,
    mac: macAddress(nic),
  };
}

/** Names of interfaces have 15 characters at most: what is built around a hashed name is named by its hash. */
function baseName(podInterface: string): string {
  return podInterface.replace(/^pod/, '');
}

/** Queues of a NIC: as many as vCPUs where the spec asks for several and the model can have them. */
function queues(vmi: VirtualMachineInstance, nic: Interface): number {
  const several = vmi.spec.domain.devices?.networkInterfaceMultiqueue && (nic.model || 'virtio') === 'virtio';
  return several ? Math.min(256, vcpus(vmi.spec)) : 1;
}

function masquerade(nic: Interface, network: Network, common: InterfacePlan): MasqueradePlan {
  const cidr = network.pod?.vmNetworkCIDR || DEFAULT_CIDR;
  const hosts = firstHosts(cidr);
  if (hosts === undefined) {
    throw new NetworkError(`interface ${nic.name}: vmNetworkCIDR ${cidr} is no IPv4 network with room for two hosts`);
  }
  return {
    kind: 'masquerade',
    ...common,
    gateway: hosts.addresses[0],
    guest: hosts.addresses[1],
    prefixLength: hosts.prefixLength,
    ports: (nic.ports ?? []).map(({ port, protocol }) => ({
      port: Number(port),
      protocol: protocol?.toUpperCase() === 'UDP' ? 'udp' : 'tcp',
    })),
  };
}

function bridge(common: InterfacePlan, index: number): BridgePlan {
  const last = BRIDGE_ADDRESS.first + index;
  if (last > BRIDGE_ADDRESS.last) throw new NetworkError(`interface ${common.name}: there are too many interfaces`);
  const base = baseName(common.podInterface);
  return {
    kind: 'bridge',
    ...common,
    port: `${base}-nic`,
    holderEnd: `${base}-end`,
    address: `${BRIDGE_ADDRESS.prefix}${last}`,
  };
}

/** The MAC of the spec in one spelling. It becomes part of commands, so nothing but a MAC may pass. */
function macAddress(nic: Interface): string | undefined {
  if (!nic.macAddress) return undefined;
  const mac = nic.macAddress.toLowerCase().replaceAll('-', ':');
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) {
    throw new NetworkError(`interface ${nic.name}: ${JSON.stringify(nic.macAddress)} is no MAC address`);
  }
  return mac;
}
