import { AGENT_CHANNEL } from '../guest-paths.ts';
import { memoryDevice } from '../memory-device.ts';
import type { DomainMetadata } from '../model.ts';
import { nameOfAlias } from '../names.ts';
import { readMetadata, readMetadataElement } from '../write/metadata.ts';
import { childElements, descendant, type Element, textOf } from '../xml/element.ts';
import { readXml } from '../xml/read.ts';

/** What a domain's own XML tells, running or not. */
export interface LiveDomain {
  name: string;
  uuid: string | undefined;
  accelerator: 'kvm' | 'tcg' | undefined;
  metadata: DomainMetadata | undefined;
  /** Versioned once the domain was defined, e.g. "pc-q35-10.0". */
  machineType: string | undefined;
  osType: string | undefined;
  /** The virtual CPUs that it has, and how many sockets of them it may have; undefined where the XML has no topology. */
  cpus: LiveCpus | undefined;
  /** undefined where no memory can be plugged in. */
  memory: LiveMemory | undefined;
  /** What the balloon leaves to the guest. */
  currentMemoryBytes: bigint | undefined;
  interfaces: readonly LiveInterface[];
  disks: readonly LiveDisk[];
  /** undefined: libvirt does not say, as for a domain that is not running. */
  agentChannel: 'connected' | 'disconnected' | undefined;
}

export interface LiveCpus {
  sockets: number;
  cores: number;
  threads: number;
  maxSockets: number;
}

/** Memory in bytes of a domain that may be given more. */
export interface LiveMemory {
  /** At the start. */
  bootBytes: bigint;
  maxBytes: bigint;
  /** What the guest is to have now. */
  requestedBytes: bigint;
  /** Of that, what it has taken. */
  currentBytes: bigint;
}

export interface LiveInterface {
  /** Name in the spec; undefined for a device that is not from the spec. */
  name: string | undefined;
  macAddress: string | undefined;
  targetDevice: string | undefined;
  model: string | undefined;
  linkState: 'up' | 'down';
  queues: number;
}

export interface LiveDisk {
  /** Name in the spec; undefined for a device that is not from the spec. */
  name: string | undefined;
  /** libvirt's alias, which I/O errors name. */
  alias: string | undefined;
  target: string;
  bus: string | undefined;
  source: string | undefined;
}

/** Reads what virDomainGetXMLDesc answers. Throws XmlError. */
export function parseDomainXml(xml: string): LiveDomain {
  const domain = readXml(xml);
  const devices = descendant(domain, 'devices');
  const type = domain.attributes['type'];
  return {
    name: textOf(descendant(domain, 'name')) ?? '',
    uuid: textOf(descendant(domain, 'uuid')),
    accelerator: type === 'kvm' ? 'kvm' : type === 'qemu' ? 'tcg' : undefined,
    metadata: readMetadata(domain),
    machineType: descendant(domain, 'os', 'type')?.attributes['machine'],
    osType: textOf(descendant(domain, 'os', 'type')),
    cpus: liveCpus(domain),
    memory: liveMemory(domain),
    currentMemoryBytes: memoryOf(descendant(domain, 'currentMemory')),
    interfaces: childElements(devices, 'interface').map(liveInterface),
    disks: childElements(devices, 'disk').map(liveDisk),
    agentChannel: agentChannel(devices),
  };
}

/** Reads what virDomainGetMetadata answers for METADATA_NAMESPACE. Throws XmlError. */
export function parseMetadataXml(xml: string): DomainMetadata | undefined {
  return readMetadataElement(readXml(xml));
}

function liveCpus(domain: Element): LiveCpus | undefined {
  const topology = descendant(domain, 'cpu', 'topology')?.attributes;
  const vcpu = descendant(domain, 'vcpu');
  const [maxSockets, cores, threads] = ['sockets', 'cores', 'threads'].map((name) => Number(topology?.[name]));
  const current = Number(vcpu?.attributes['current'] ?? textOf(vcpu));
  if (!maxSockets || !cores || !threads || !current) return undefined;
  // Sockets come whole; a number that somebody else has set is rounded down.
  return { sockets: Math.floor(current / (cores * threads)), cores, threads, maxSockets };
}

function liveMemory(domain: Element): LiveMemory | undefined {
  const maxBytes = memoryOf(descendant(domain, 'maxMemory'));
  const total = memoryOf(descendant(domain, 'memory'));
  if (maxBytes === undefined || total === undefined) return undefined;
  const target = descendant(memoryDevice(domain), 'target');
  const bytes = (name: string) => memoryOf(descendant(target, name)) ?? 0n;
  // libvirt counts all that the device could give as memory of the domain.
  const bootBytes = total - bytes('size');
  return {
    bootBytes,
    maxBytes,
    requestedBytes: bootBytes + bytes('requested'),
    currentBytes: bootBytes + bytes('current'),
  };
}

/** libvirt itself always writes KiB. */
function memoryOf(element: Element | undefined): bigint | undefined {
  const text = textOf(element);
  const known = element?.attributes['unit'] === undefined || element.attributes['unit'] === 'KiB';
  return known && text !== undefined && /^\d+$/.test(text) ? BigInt(text) * 1024n : undefined;
}

function attribute(parent: Element, child: string, name: string): string | undefined {
  return descendant(parent, child)?.attributes[name];
}

function liveInterface(nic: Element): LiveInterface {
  return {
    name: nameOfAlias(attribute(nic, 'alias', 'name')),
    macAddress: attribute(nic, 'mac', 'address'),
    targetDevice: attribute(nic, 'target', 'dev'),
    model: attribute(nic, 'model', 'type'),
    linkState: attribute(nic, 'link', 'state') === 'down' ? 'down' : 'up',
    queues: Number(attribute(nic, 'driver', 'queues') ?? 1),
  };
}

function liveDisk(disk: Element): LiveDisk {
  const alias = attribute(disk, 'alias', 'name');
  const source = descendant(disk, 'source')?.attributes;
  return {
    name: nameOfAlias(alias),
    alias,
    target: attribute(disk, 'target', 'dev') ?? '',
    bus: attribute(disk, 'target', 'bus'),
    source: source?.['file'] ?? source?.['dev'],
  };
}

function agentChannel(devices: Element | undefined): LiveDomain['agentChannel'] {
  const targets = childElements(devices, 'channel').map((channel) => descendant(channel, 'target')?.attributes);
  const state = targets.find((target) => target?.['name'] === AGENT_CHANNEL)?.['state'];
  return state === 'connected' || state === 'disconnected' ? state : undefined;
}
