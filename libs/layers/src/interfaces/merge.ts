import { byFamily, isLinkLocal } from './addresses.ts';
import type { DomainInterfaceView, GuestInterfaceView, InterfaceIntent, InterfaceStatus } from './types.ts';

export interface MergeInput {
  intents: InterfaceIntent[];
  /** Addresses of the launcher's pod. */
  podIPs: string[];
  /** In the order of the domain's definition. */
  domain: DomainInterfaceView[];
  /** What the agent last said, however long ago; undefined when it never said anything. */
  guest: GuestInterfaceView[] | undefined;
  /** `status.interfaces` as it stands. */
  previous: InterfaceStatus[];
}

const DOMAIN = 'domain';
const AGENT = 'guest-agent';
const MULTUS = 'multus-status';
/** As many interfaces that only the agent knows are shown; the layer report tells how many there are. */
export const GUEST_ONLY_LIMIT = 10;

/**
 * `status.interfaces` from all that is known. The pod's address stays the address of the interface on the pod network,
 * whatever the guest calls itself behind NAT and whether or not its agent answers; a silent agent takes nothing away.
 */
export function mergeInterfaces(input: MergeInput): InterfaceStatus[] {
  const { intents, previous } = input;
  const guest = input.guest?.filter((nic) => nic.name !== 'lo');
  const entries = input.domain.map((nic) => entryOf(nic, input, guest));
  const primary = intents.find((intent) => intent.network === 'pod')?.name;
  const known = new Set(entries.map((entry) => entry.name));
  for (const old of previous) {
    const isMultus = old.name !== undefined && sources(old).includes(MULTUS);
    if (old.name === undefined || known.has(old.name)) continue;
    if (old.name === primary) entries.unshift({ name: old.name });
    else if (isMultus && intents.some(({ name }) => name === old.name)) {
      entries.push({ name: old.name, infoSource: MULTUS });
    }
  }
  const named = entries.map((entry) => withControllersPart(entry, previous));
  named.sort((a, b) => Number(b.name === primary) - Number(a.name === primary));
  return [...named, ...guestOnly(guest, input, previous)];
}

function entryOf(
  nic: DomainInterfaceView,
  input: MergeInput,
  guest: GuestInterfaceView[] | undefined,
): InterfaceStatus {
  const intent = input.intents.find(({ name }) => name === nic.name);
  const old = input.previous.find(({ name }) => name === nic.name);
  const match = guest && guestOf(nic, guest);
  // A reply without this interface means the guest has it no more; no reply at all means nothing.
  const interfaceName = guest === undefined ? old?.interfaceName : match?.name;
  const toldByAgent = guest === undefined ? old !== undefined && sources(old).includes(AGENT) : match !== undefined;
  return {
    name: nic.name,
    mac: nic.mac,
    ...addresses(chooseAddresses(intent, input.podIPs, match?.addresses, old)),
    ...(interfaceName === undefined ? {} : { interfaceName }),
    infoSource: toldByAgent ? `${DOMAIN}, ${AGENT}` : DOMAIN,
    queueCount: Math.max(1, nic.queues),
    linkState: nic.linkState || 'up',
  };
}

/** Addresses of an interface: the pod's on the pod network, else the agent's, else what was last known. */
function chooseAddresses(
  intent: InterfaceIntent | undefined,
  podIPs: string[],
  agent: string[] | undefined,
  old: InterfaceStatus | undefined,
): string[] {
  if (intent?.network === 'pod' && podIPs.length > 0) {
    if (intent.binding === 'masquerade') return byFamily(podIPs);
    const families = new Set(podIPs.map(familyOf));
    return byFamily([...podIPs, ...(agent ?? []).filter((ip) => !families.has(familyOf(ip)) && !isLinkLocal(ip))]);
  }
  if (agent !== undefined && agent.length > 0) return byFamily(agent);
  return old?.ipAddresses ?? [];
}

const familyOf = (ip: string) => (ip.includes(':') ? 6 : 4);

/**
 * The guest's interface for a MAC. Bridges and VLANs on a NIC share its MAC, so of several the one with the plainest
 * name is taken: the agent lists no kinds, and a NIC is named before what is built on it.
 */
export function guestOf(nic: { mac: string }, guest: GuestInterfaceView[]): GuestInterfaceView | undefined {
  const mac = nic.mac.toLowerCase();
  const candidates = guest.filter((candidate) => candidate.mac?.toLowerCase() === mac);
  return candidates.find(({ name }) => /^(en|eth|Ethernet)/.test(name) && !/[.@:]/.test(name)) ?? candidates[0];
}

function guestOnly(
  guest: GuestInterfaceView[] | undefined,
  input: MergeInput,
  previous: InterfaceStatus[],
): InterfaceStatus[] {
  if (guest === undefined) return previous.filter(({ name }) => name === undefined);
  const macs = new Set(input.domain.map(({ mac }) => mac.toLowerCase()));
  return guest
    .filter(({ mac }) => mac === undefined || !macs.has(mac.toLowerCase()))
    .slice(0, GUEST_ONLY_LIMIT)
    .map((nic) => ({
      interfaceName: nic.name,
      ...(nic.mac === undefined ? {} : { mac: nic.mac }),
      ...addresses(byFamily(nic.addresses)),
      infoSource: AGENT,
      queueCount: 0,
    }));
}

function addresses(ips: string[]): Pick<InterfaceStatus, 'ipAddress' | 'ipAddresses'> {
  return ips[0] === undefined ? {} : { ipAddress: ips[0], ipAddresses: ips };
}

/** virt-controller owns `podInterfaceName` and the Multus source: both are carried over. */
function withControllersPart(entry: InterfaceStatus, previous: InterfaceStatus[]): InterfaceStatus {
  const old = previous.find(({ name }) => name === entry.name);
  if (old === undefined) return entry;
  const infoSource = [...new Set([...sources(entry), ...sources(old).filter((source) => source === MULTUS)])].join(
    ', ',
  );
  return {
    ...entry,
    ...(old.podInterfaceName === undefined ? {} : { podInterfaceName: old.podInterfaceName }),
    ...(infoSource === '' ? {} : { infoSource }),
  };
}

function sources(entry: InterfaceStatus): string[] {
  return entry.infoSource?.split(', ').filter((source) => source !== '') ?? [];
}
