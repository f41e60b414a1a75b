import { type Interface, type Network, type VirtualMachineInstance, vcpus } from '@yagura/api';

export const POD_INTERFACE = 'eth0';
const DEFAULT_CIDR = '10.0.2.0/24';
/** Reserved: a guest may not have it, so it never meets a MAC of a guest. */
export const BRIDGE_MAC = '02:00:00:00:00:00';

export interface Port {
  protocol: 'tcp' | 'udp';
  port: number;
}

/** How one masquerade interface is attached in the pod's network namespace. */
export interface MasqueradePlan {
  kind: 'masquerade';
  /** Interface in the spec. */
  name: string;
  bridge: string;
  tap: string;
  /** Address of the bridge, the guest's gateway. */
  gateway: string;
  guest: string;
  prefixLength: number;
  /** What is passed on to the guest; everything when empty. */
  ports: Port[];
  multiQueue: boolean;
  /** From the spec; otherwise the guest gets the MAC of the pod's interface. */
  mac: string | undefined;
}

/** A network that this node cannot build; the message names the interface. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** What is to be built for the interfaces of an instance. Throws for a binding that is not there (yet). */
export function planNetwork(vmi: VirtualMachineInstance): MasqueradePlan[] {
  const interfaces = vmi.spec.domain.devices?.interfaces ?? [];
  return interfaces.map((nic) => {
    const network = vmi.spec.networks?.find(({ name }) => name === nic.name);
    if (network === undefined) throw new NetworkError(`interface ${nic.name} has no network of that name`);
    if (nic.masquerade === undefined || network.pod === undefined) {
      throw new NetworkError(`interface ${nic.name}: only masquerade on the pod network is supported`);
    }
    return masquerade(nic, network, queues(vmi) > 1);
  });
}

/** Queues of each NIC: as many as vCPUs where the spec asks for several. */
export function queues(vmi: VirtualMachineInstance): number {
  if (!vmi.spec.domain.devices?.networkInterfaceMultiqueue) return 1;
  return Math.min(256, vcpus(vmi.spec));
}

function masquerade(nic: Interface, network: Network, multiQueue: boolean): MasqueradePlan {
  const { addresses, prefixLength } = parseCidr(nic.name, network.pod?.vmNetworkCIDR || DEFAULT_CIDR);
  return {
    kind: 'masquerade',
    name: nic.name,
    bridge: `k6t-${POD_INTERFACE}`,
    tap: 'tap0',
    gateway: addresses[0],
    guest: addresses[1],
    prefixLength,
    ports: (nic.ports ?? []).map(({ port, protocol }) => ({
      port: Number(port),
      protocol: protocol?.toUpperCase() === 'UDP' ? 'udp' : 'tcp',
    })),
    multiQueue,
    mac: macAddress(nic),
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

/** First and second host of an IPv4 network. */
function parseCidr(name: string, cidr: string): { addresses: [string, string]; prefixLength: number } {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  const [a = 256, b = 256, c = 256, d = 256, prefixLength = 33] = match?.slice(1).map(Number) ?? [];
  if ([a, b, c, d].some((part) => part > 255) || prefixLength > 30) {
    throw new NetworkError(`interface ${name}: vmNetworkCIDR ${cidr} is no IPv4 network with room for two hosts`);
  }
  const address = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const network = address - (address % 2 ** (32 - prefixLength));
  return { addresses: [dotted(network + 1), dotted(network + 2)], prefixLength };
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');
}
