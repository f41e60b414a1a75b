// What the launcher asks the guest agent, how often, and how it reads the answer (QEMU's qga/qapi-schema.json).
import type { GuestOs } from '@yagura/libvirt';

export interface AgentInfo {
  version: string | undefined;
  commands: readonly { name: string; enabled: boolean }[];
}

export interface GuestInterface {
  name: string;
  macAddress: string | undefined;
  addresses: readonly { address: string; prefixLength: number }[];
}

export interface GuestUser {
  name: string;
  domain: string | undefined;
  /** Seconds since the epoch. */
  loginTime: number | undefined;
}

export interface GuestFilesystem {
  diskName: string;
  mountPoint: string;
  type: string;
  usedBytes: bigint | undefined;
  totalBytes: bigint | undefined;
  disks: readonly { serial: string | undefined; busType: string | undefined }[];
}

export interface GuestLoad {
  oneMinute: number;
  fiveMinutes: number;
  fifteenMinutes: number;
}

/** The answers by topic. */
export interface TopicValues {
  agent: AgentInfo;
  interfaces: readonly GuestInterface[];
  os: GuestOs;
  hostname: string;
  timezone: string;
  fsfreeze: string;
  users: readonly GuestUser[];
  filesystems: readonly GuestFilesystem[];
  load: GuestLoad;
}

export type Topic = keyof TopicValues;

interface TopicPlan<T extends Topic> {
  command: string;
  everyMs: number;
  read: (answer: unknown) => TopicValues[T];
}

type Json = Record<string, unknown>;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const big = (value: unknown): bigint | undefined => (typeof value === 'bigint' ? value : undefined);

/**
 * In the order of the first round: what the instance's status needs comes first. The interfaces are also the sign of
 * life, so they are asked for most often: a changed address must be seen, and a mute agent named, within seconds.
 */
export const TOPICS: { readonly [T in Topic]: TopicPlan<T> } = {
  agent: { command: 'guest-info', everyMs: 300_000, read: readAgent },
  interfaces: { command: 'guest-network-get-interfaces', everyMs: 3_000, read: readInterfaces },
  os: { command: 'guest-get-osinfo', everyMs: 60_000, read: readOs },
  hostname: {
    command: 'guest-get-host-name',
    everyMs: 60_000,
    read: (answer) => text((answer as Json)['host-name']) ?? '',
  },
  timezone: { command: 'guest-get-timezone', everyMs: 60_000, read: readTimezone },
  fsfreeze: { command: 'guest-fsfreeze-status', everyMs: 5_000, read: (answer) => String(answer) },
  users: { command: 'guest-get-users', everyMs: 10_000, read: readUsers },
  filesystems: { command: 'guest-get-fsinfo', everyMs: 20_000, read: readFilesystems },
  load: { command: 'guest-get-load', everyMs: 60_000, read: readLoad },
};

export const TOPIC_ORDER = Object.keys(TOPICS) as Topic[];
/** With these the status of an instance can be written in one go. */
export const FIRST_ROUND: readonly Topic[] = ['agent', 'interfaces', 'os', 'hostname'];

const EXACT = new Set(['used-bytes', 'total-bytes']);

/** The value behind "return". Byte counts are bigint, because JSON numbers lose them above 2^53. */
export function parseAnswer(json: string): unknown {
  const exact = (key: string, value: unknown, context?: { source?: string }) =>
    EXACT.has(key) && typeof value === 'number' ? BigInt(context?.source ?? value) : value;
  return (JSON.parse(json, exact) as Json)['return'];
}

function readAgent(answer: unknown): AgentInfo {
  const info = answer as Json;
  const commands = list(info['supported_commands']).map((command) => ({
    name: String(command['name']),
    enabled: command['enabled'] === true,
  }));
  return { version: text(info['version']), commands };
}

function readInterfaces(answer: unknown): GuestInterface[] {
  return list(answer)
    .filter((nic) => nic['name'] !== 'lo')
    .map((nic) => ({
      name: String(nic['name']),
      macAddress: text(nic['hardware-address'])?.toLowerCase(),
      addresses: list(nic['ip-addresses']).map((ip) => ({
        address: String(ip['ip-address']),
        prefixLength: number(ip['prefix']) ?? 0,
      })),
    }));
}

function readOs(answer: unknown): GuestOs {
  const os = answer as Json;
  const fields = {
    id: os['id'],
    name: os['name'],
    prettyName: os['pretty-name'],
    version: os['version'],
    versionId: os['version-id'],
    kernelRelease: os['kernel-release'],
    kernelVersion: os['kernel-version'],
    machine: os['machine'],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => text(value) !== undefined));
}

function readTimezone(answer: unknown): string {
  const { zone, offset } = answer as Json;
  return [text(zone) ?? 'UTC', number(offset) ?? 0].join(', ');
}

function readUsers(answer: unknown): GuestUser[] {
  return list(answer).map((user) => ({
    name: String(user['user']),
    domain: text(user['domain']),
    loginTime: number(user['login-time']),
  }));
}

function readFilesystems(answer: unknown): GuestFilesystem[] {
  return list(answer).map((fs) => ({
    diskName: String(fs['name']),
    mountPoint: String(fs['mountpoint']),
    type: String(fs['type']),
    usedBytes: big(fs['used-bytes']),
    totalBytes: big(fs['total-bytes']),
    disks: list(fs['disk']).map((disk) => ({ serial: text(disk['serial']), busType: text(disk['bus-type']) })),
  }));
}

function readLoad(answer: unknown): GuestLoad {
  const load = answer as Json;
  return {
    oneMinute: number(load['load1m']) ?? 0,
    fiveMinutes: number(load['load5m']) ?? 0,
    fifteenMinutes: number(load['load15m']) ?? 0,
  };
}
