import type { Domain, GetGuestInfoResponse } from '@yagura/contracts';
import { guestOf } from '../interfaces/merge.ts';
import type { DomainInterfaceView, GuestInterfaceView, InterfaceIntent, InterfaceStatus } from '../interfaces/types.ts';
import type { Sample, SourceState } from '../observation.ts';
import { AGENT_MAX_AGE, agentState } from './guest.ts';
import { type LauncherLink, LINK_MAX_AGE, through } from './link.ts';
import { answerSource, toDate } from './words.ts';

/** A silent agent is asked every few seconds, and with it ARP; the kernel takes up to 9 s to give up. */
const ARP_MAX_AGE = 20;

export function domainInterfaces(domain: Domain | undefined): DomainInterfaceView[] {
  return (domain?.interfaces ?? []).map((nic) => ({
    name: nic.name,
    mac: nic.macAddress,
    queues: nic.queues,
    linkState: nic.linkState,
  }));
}

/** What the agent last said of the guest's interfaces; undefined when it never did. */
export function guestInterfaces(info: GetGuestInfoResponse | undefined): GuestInterfaceView[] | undefined {
  if (info?.interfacesStatus?.observedAt === undefined) return undefined;
  return info.interfaces.map((nic) => ({
    name: nic.name,
    ...(nic.macAddress === undefined ? {} : { mac: nic.macAddress }),
    addresses: nic.addresses.map(({ address }) => address),
  }));
}

export interface NetworkInput {
  intents: InterfaceIntent[];
  podIPs: string[];
  /** When the pod's status was last heard of. */
  podSeenAt: Date | undefined;
  domain: Domain | undefined;
  guest: GetGuestInfoResponse | undefined;
  /** `status.interfaces` as the object shows it. */
  shown: InterfaceStatus[];
  link: LauncherLink;
}

/** The network layer: for each interface what the pod, the domain and the agent each say, and which was chosen why. */
export function networkSamples(input: NetworkInput): Sample[] {
  const { intents, podIPs, podSeenAt, domain, guest, shown, link } = input;
  const views = domainInterfaces(domain);
  const told = guestInterfaces(guest);
  const samples: Sample[] = [];
  for (const intent of intents) {
    const nic = views.find(({ name }) => name === intent.name);
    const field = (name: string) => `${intent.name}.${name}`;
    if (intent.network === 'pod') {
      samples.push({
        layer: 'network',
        field: field('podIPs'),
        value: podIPs,
        source: 'pod status',
        observedAt: podSeenAt,
        maxAge: null,
        state: 'answering',
      });
    }
    samples.push(
      ...through(link, [
        { ...fromDomain(domain), field: field('mac'), value: nic?.mac },
        { ...fromDomain(domain), field: field('link'), value: nic?.linkState },
        {
          ...fromAgent(domain, guest),
          field: field('guestAddresses'),
          value: nic && told && (guestOf(nic, told)?.addresses ?? []),
        },
        {
          ...fromAgent(domain, guest),
          field: field('guestInterfaces'),
          value: nic && told && namesInGuest(nic, told),
        },
        ...arpSamples(domain, intent.name),
      ]),
      {
        layer: 'network',
        field: field('chosen'),
        value: shown.find(({ name }) => name === intent.name)?.ipAddress ?? null,
        source: `rule: ${rule(intent)}`,
        observedAt: podSeenAt,
        maxAge: null,
        state: 'answering',
      },
    );
  }
  return samples;
}

/** Whether the guest answers ARP; asked only while its agent says nothing, and only where the pod is in its network. */
function arpSamples(domain: Domain | undefined, name: string): Sample[] {
  const answer = domain?.evidence?.arp.find((one) => one.interface === name);
  return [
    {
      layer: 'network',
      field: `${name}.arp`,
      value: answer && (answer.answers ? 'answers' : 'silent'),
      source: 'kernel of the pod',
      observedAt: toDate(answer?.observedAt),
      maxAge: ARP_MAX_AGE,
      state: 'answering',
    },
  ];
}

/** The guest's interfaces with the MAC of this one: that which is taken for it first, then a bridge or VLAN on it. */
function namesInGuest(nic: DomainInterfaceView, told: GuestInterfaceView[]): string[] {
  const taken = guestOf(nic, told)?.name;
  const names = told.filter(({ mac }) => mac?.toLowerCase() === nic.mac.toLowerCase()).map(({ name }) => name);
  return [...names.filter((name) => name === taken), ...names.filter((name) => name !== taken)];
}

function rule(intent: InterfaceIntent): string {
  if (intent.network !== 'pod') return "the agent's address";
  return intent.binding === 'masquerade' ? "the pod's address behind NAT" : "the pod's address first";
}

function fromDomain(domain: Domain | undefined) {
  const state: SourceState = domain?.libvirt?.connected === false ? 'failing' : 'answering';
  return {
    layer: 'network',
    source: 'domain',
    observedAt: toDate(domain?.observedAt),
    maxAge: LINK_MAX_AGE,
    state,
  } as const;
}

function fromAgent(domain: Domain | undefined, guest: GetGuestInfoResponse | undefined) {
  const status = guest?.interfacesStatus;
  const asked = answerSource(status?.state);
  const state: SourceState = asked === 'unsupported' ? asked : agentState(domain) === 'gone' ? 'gone' : asked;
  return {
    layer: 'network',
    source: 'guest-agent',
    observedAt: toDate(status?.observedAt),
    maxAge: AGENT_MAX_AGE,
    state,
    error: status?.error,
  } as const;
}
