import { LAUNCHER_UID } from '@yagura/api';
import { BRIDGE_MAC, type MasqueradePlan, NetworkError, POD_INTERFACE } from './plan.ts';

/** An entry of `ip -json -details address show`, as far as it is used. */
export interface Link {
  ifname: string;
  address?: string;
  mtu: number;
  master?: string;
  flags?: string[];
  addr_info?: { local?: string; prefixlen?: number }[];
}

/** The pod's own interface, which the CNI made before any container ran. */
export function podLink(links: Link[]): { mac: string; mtu: number } {
  const link = links.find(({ ifname }) => ifname === POD_INTERFACE);
  if (link?.address === undefined) throw new NetworkError(`the pod has no interface ${POD_INTERFACE}`);
  return { mac: link.address, mtu: link.mtu };
}

/** What `ip -batch` has to do to get from what is there to the plan; nothing that is right is touched. */
export function ipCommands(links: Link[], plan: MasqueradePlan, guestMac: string): string[] {
  const { mtu } = podLink(links);
  const { bridge, tap, gateway, guest, prefixLength } = plan;
  const bridgeLink = links.find(({ ifname }) => ifname === bridge);
  const tapLink = links.find(({ ifname }) => ifname === tap);
  const hasAddress = bridgeLink?.addr_info?.some(
    ({ local, prefixlen }) => local === gateway && prefixlen === prefixLength,
  );
  const isUp = (link: Link | undefined) => link?.flags?.includes('UP') ?? false;
  const commands: string[] = [];
  if (bridgeLink === undefined) commands.push(`link add name ${bridge} address ${BRIDGE_MAC} mtu ${mtu} type bridge`);
  else if (bridgeLink.mtu !== mtu) commands.push(`link set dev ${bridge} mtu ${mtu}`);
  if (!hasAddress) commands.push(`address replace ${gateway}/${prefixLength} dev ${bridge}`);
  if (tapLink === undefined) {
    const queues = plan.multiQueue ? ' multi_queue' : '';
    commands.push(`tuntap add dev ${tap} mode tap user ${LAUNCHER_UID} group ${LAUNCHER_UID}${queues}`);
  }
  if (tapLink?.mtu !== mtu) commands.push(`link set dev ${tap} mtu ${mtu}`);
  if (tapLink?.master !== bridge) commands.push(`link set dev ${tap} master ${bridge}`);
  if (!isUp(tapLink)) commands.push(`link set dev ${tap} up`);
  if (!isUp(bridgeLink)) commands.push(`link set dev ${bridge} up`);
  // A guest that has no address yet is answered by unicast, so its neighbour entry must not depend on ARP.
  commands.push(`neighbour replace ${guest} lladdr ${guestMac} nud permanent dev ${bridge}`);
  return commands;
}

/** Kernel settings of the pod's network namespace, as paths under /proc/sys and their values. */
export function sysctls(plan: MasqueradePlan): [string, string][] {
  return [
    ['net/ipv4/ip_forward', '1'],
    [`net/ipv4/conf/${plan.bridge}/route_localnet`, '1'],
  ];
}
