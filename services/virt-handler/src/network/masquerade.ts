import { PRIMARY_POD_INTERFACE } from '@yagura/api';
import { addressesOf, findLink, isUp, type Link } from './links.ts';
import { renderNft } from './nft.ts';
import { type MasqueradePlan, NetworkError } from './plan.ts';
import type { Step } from './script.ts';
import { tapCommands } from './tap.ts';

/** Reserved: a guest may not have it, so it never meets a MAC of a guest. */
const BRIDGE_MAC = '02:00:00:00:00:00';

/** The pod's own interface, which the CNI made before any container ran. */
export function podLink(links: readonly Link[]): { mac: string; mtu: number } {
  const link = findLink(links, PRIMARY_POD_INTERFACE);
  if (link?.address === undefined) throw new NetworkError(`the pod has no interface ${PRIMARY_POD_INTERFACE}`);
  return { mac: link.address, mtu: link.mtu };
}

export function masqueradeSteps(links: readonly Link[], plan: MasqueradePlan, guestMac: string): Step[] {
  return [{ ip: ipCommands(links, plan, guestMac) }, { sysctls: sysctls(plan) }, { nft: renderNft(plan) }];
}

/** What `ip -batch` has to do to get from what is there to the plan; nothing that is right is touched. */
export function ipCommands(links: readonly Link[], plan: MasqueradePlan, guestMac: string): string[] {
  const { mtu } = podLink(links);
  const { bridge, gateway, guest, prefixLength } = plan;
  const bridgeLink = findLink(links, bridge);
  const address = `${gateway}/${prefixLength}`;
  const commands: string[] = [];
  if (bridgeLink === undefined) commands.push(`link add name ${bridge} address ${BRIDGE_MAC} mtu ${mtu} type bridge`);
  else if (bridgeLink.mtu !== mtu) commands.push(`link set dev ${bridge} mtu ${mtu}`);
  if (!addressesOf(bridgeLink).includes(address)) commands.push(`address replace ${address} dev ${bridge}`);
  commands.push(...tapCommands(links, plan, mtu));
  if (!isUp(bridgeLink)) commands.push(`link set dev ${bridge} up`);
  // The first packets need no answer to ARP; later ones do, by which it can be told whether the guest lives. What an older
  // version has made for a launcher of its time stays.
  if (bridgeLink === undefined) commands.push(`neighbour replace ${guest} lladdr ${guestMac} nud stale dev ${bridge}`);
  return commands;
}

/** Kernel settings of the pod's network namespace, as paths under /proc/sys and their values. */
function sysctls(plan: MasqueradePlan): [string, string][] {
  return [
    ['net/ipv4/ip_forward', '1'],
    [`net/ipv4/conf/${plan.bridge}/route_localnet`, '1'],
    // An answer to ARP counts for seconds, not for half a minute, and is then asked for again after one.
    [`net/ipv4/neigh/${plan.bridge}/base_reachable_time_ms`, '3000'],
    [`net/ipv4/neigh/${plan.bridge}/delay_first_probe_time`, '1'],
  ];
}
