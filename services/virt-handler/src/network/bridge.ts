import { createHash } from 'node:crypto';
import { type Addressing, decodeAlias, encodeAlias } from './addressing.ts';
import { addressesOf, findLink, isUp, type Link } from './links.ts';
import type { BridgePlan } from './plan.ts';
import type { Step } from './script.ts';
import { tapCommands } from './tap.ts';

/**
 * What has to be done so that the guest takes the pod's place: the pod's interface becomes, under another name and MAC, a
 * port of a bridge with the guest's tap; its addresses move to an interface of the old name that leads nowhere.
 * Nothing that is right is touched, and nothing is lost wherever it was broken off.
 */
export function bridgeSteps(links: readonly Link[], plan: BridgePlan, given: Addressing): Step[] {
  const { podInterface, port, bridge, address } = plan;
  const portLink = findLink(links, port);
  const before = portLink ?? findLink(links, podInterface);
  const bridgeLink = findLink(links, bridge);
  const mtu = before?.mtu ?? 1500;
  const mac = portMac(given.mac);
  const commands: string[] = [];
  if (portLink === undefined) commands.push(...renamed(before, plan, given));
  if (before?.address !== mac) commands.push(`link set dev ${port} address ${mac}`);
  if (addressesOf(before).length > 0) commands.push(`address flush dev ${port}`);
  if (bridgeLink === undefined) commands.push(`link add name ${bridge} address ${mac} mtu ${mtu} type bridge`);
  else if (bridgeLink.mtu !== mtu) commands.push(`link set dev ${bridge} mtu ${mtu}`);
  if (!addressesOf(bridgeLink).includes(`${address}/32`)) commands.push(`address replace ${address}/32 dev ${bridge}`);
  if (before?.master !== bridge) commands.push(`link set dev ${port} master ${bridge}`);
  commands.push(...holder(portLink === undefined ? undefined : findLink(links, podInterface), plan, given, mtu));
  const tap = tapCommands(links, plan, mtu);
  const up = [
    ...(portLink !== undefined && isUp(portLink) ? [] : [`link set dev ${port} up`]),
    ...(isUp(bridgeLink) ? [] : [`link set dev ${bridge} up`]),
  ];
  // Each is told to be silent before it hears anything: it would answer for the guest's address.
  const noIpv6 = [bridge, port].map(withoutIpv6);
  return [
    { ip: commands },
    { sysctls: [[`net/ipv4/conf/${bridge}/arp_ignore`, '1'], ...noIpv6] },
    { ip: tap },
    { sysctls: [withoutIpv6(plan.tap)] },
    { ip: up },
  ];
}

/** The first command writes down what the next ones destroy. */
function renamed(link: Link | undefined, { podInterface, port }: BridgePlan, given: Addressing): string[] {
  const known = decodeAlias(link?.ifalias) !== undefined;
  return [
    ...(known ? [] : [`link set dev ${podInterface} alias ${encodeAlias(podInterface, given)}`]),
    `link set dev ${podInterface} down`,
    `link set dev ${podInterface} name ${port}`,
  ];
}

/** An interface of the old name with the old addresses, for whoever looks for them; it is down and reaches nobody. */
function holder(link: Link | undefined, plan: BridgePlan, given: Addressing, mtu: number): string[] {
  if (given.addresses.length === 0) return [];
  const { podInterface, holderEnd } = plan;
  const there = addressesOf(link);
  const isThere = (address: string) => there.includes(address);
  return [
    ...(link === undefined
      ? [`link add name ${podInterface} address ${given.mac} mtu ${mtu} type veth peer name ${holderEnd}`]
      : []),
    ...given.addresses
      .filter((address) => !isThere(address))
      .map((address) => `address replace ${address} dev ${podInterface} noprefixroute${isV6(address) ? ' nodad' : ''}`),
  ];
}

function withoutIpv6(name: string): [string, string] {
  return [`net/ipv6/conf/${name}/disable_ipv6`, '1'];
}

/** The other way round: gives the CNI its interface back, under the name by which it will remove it. */
export function removalSteps(links: readonly Link[], plan: BridgePlan): Step[] {
  const { podInterface, port, bridge, tap } = plan;
  const has = (name: string) => findLink(links, name) !== undefined;
  const commands = [tap, bridge].filter(has).map((name) => `link delete dev ${name}`);
  if (has(port)) {
    if (has(podInterface)) commands.push(`link delete dev ${podInterface}`);
    commands.push(`link set dev ${port} down`, `link set dev ${port} name ${podInterface}`);
  }
  return [{ ip: commands }];
}

/** The guest has the MAC that the CNI gave; the port gets one of its own, always the same. */
function portMac(mac: string): string {
  const hash = createHash('sha256').update(`port ${mac}`).digest('hex');
  return ['02', ...(hash.slice(0, 10).match(/../g) ?? [])].join(':');
}

function isV6(address: string): boolean {
  return address.includes(':');
}
