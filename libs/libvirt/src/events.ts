import { type DomainIdentity } from './domain-stats.ts';
import { decodeJobProgress, type JobProgress } from './jobs.ts';
import { nameOf, type Unlisted } from './states.ts';
import { decodeTypedParams, type TypedParams, type TypedValue } from './typed-params.ts';

/** Domain events by libvirt's number (VIR_DOMAIN_EVENT_ID_*). */
export const EVENT_IDS = {
  lifecycle: 0,
  reboot: 1,
  'rtc-change': 2,
  watchdog: 3,
  'io-error': 6,
  'control-error': 7,
  'disk-change': 9,
  'tray-change': 10,
  pmwakeup: 11,
  pmsuspend: 12,
  'balloon-change': 13,
  'pmsuspend-disk': 14,
  'device-removed': 15,
  'block-job': 16,
  tunable: 17,
  'agent-lifecycle': 18,
  'device-added': 19,
  'migration-iteration': 20,
  'job-completed': 21,
  'device-removal-failed': 22,
  'metadata-change': 23,
  'block-threshold': 24,
  'memory-failure': 25,
  'memory-device-size-change': 26,
  /** libvirt 11.2 and newer; older ones refuse it with NO_SUPPORT. */
  'nic-mac-change': 27,
} as const;

export const LIFECYCLE_DETAILS = {
  defined: ['added', 'updated', 'renamed', 'from-snapshot'],
  undefined: ['removed', 'renamed'],
  started: ['booted', 'migrated', 'restored', 'from-snapshot', 'wakeup'],
  suspended: [
    'paused',
    'migrated',
    'ioerror',
    'watchdog',
    'restored',
    'from-snapshot',
    'api-error',
    'postcopy',
    'postcopy-failed',
  ],
  resumed: ['unpaused', 'migrated', 'from-snapshot', 'postcopy', 'postcopy-failed'],
  stopped: ['shutdown', 'destroyed', 'crashed', 'migrated', 'saved', 'failed', 'from-snapshot'],
  shutdown: ['finished', 'guest', 'host'],
  pmsuspended: ['memory', 'disk'],
  crashed: ['panicked', 'crashloaded'],
} as const;

const LIFECYCLE_EVENTS = Object.keys(LIFECYCLE_DETAILS) as LifecycleName[];
const WATCHDOG_ACTIONS = ['none', 'pause', 'reset', 'poweroff', 'shutdown', 'debug', 'inject-nmi'] as const;
const IO_ERROR_ACTIONS = ['none', 'pause', 'report'] as const;
const AGENT_STATES = ['unknown', 'connected', 'disconnected'] as const;
const AGENT_REASONS = ['unknown', 'domain-started', 'channel'] as const;
const DISK_CHANGE_REASONS = ['change-missing-on-start', 'drop-missing-on-start'] as const;
const TRAY_CHANGES = ['open', 'close'] as const;
const BLOCK_JOB_TYPES = ['unknown', 'pull', 'copy', 'commit', 'active-commit', 'backup'] as const;
const BLOCK_JOB_STATUSES = ['completed', 'failed', 'canceled', 'ready'] as const;
const METADATA = ['description', 'title', 'element'] as const;
const FAILURE_RECIPIENTS = ['hypervisor', 'guest'] as const;
const FAILURE_ACTIONS = ['ignore', 'inject', 'fatal', 'reset'] as const;

type LifecycleName = keyof typeof LIFECYCLE_DETAILS;
type OneOf<T extends readonly string[]> = T[number] | Unlisted;

/** What each type of event says beside the domain. */
export interface EventPayloads {
  lifecycle:
    | { [E in LifecycleName]: { event: E; detail: (typeof LIFECYCLE_DETAILS)[E][number] | Unlisted } }[LifecycleName]
    | { event: Unlisted; detail: Unlisted };
  reboot: object;
  /** Seconds from UTC. */
  'rtc-change': { utcOffset: bigint };
  watchdog: { action: OneOf<typeof WATCHDOG_ACTIONS> };
  /** `reason` is QEMU's, such as `enospc`; empty when it gave none. */
  'io-error': { srcPath: string; device: string; action: OneOf<typeof IO_ERROR_ACTIONS>; reason: string };
  'control-error': object;
  'disk-change': {
    oldPath: string | null;
    newPath: string | null;
    device: string;
    reason: OneOf<typeof DISK_CHANGE_REASONS>;
  };
  'tray-change': { device: string; change: OneOf<typeof TRAY_CHANGES> };
  pmwakeup: object;
  pmsuspend: object;
  /** KiB. */
  'balloon-change': { actual: bigint };
  'pmsuspend-disk': object;
  'device-removed': { device: string };
  'block-job': {
    disk: string;
    operation: OneOf<typeof BLOCK_JOB_TYPES>;
    status: OneOf<typeof BLOCK_JOB_STATUSES>;
  };
  tunable: { params: TypedParams };
  'agent-lifecycle': { state: OneOf<typeof AGENT_STATES>; reason: OneOf<typeof AGENT_REASONS> };
  'device-added': { device: string };
  'migration-iteration': { iteration: number };
  'job-completed': { job: JobProgress };
  'device-removal-failed': { device: string };
  'metadata-change': { metadata: OneOf<typeof METADATA>; uri: string | null };
  'block-threshold': { device: string; path: string | null; threshold: bigint; excess: bigint };
  'memory-failure': {
    recipient: OneOf<typeof FAILURE_RECIPIENTS>;
    action: OneOf<typeof FAILURE_ACTIONS>;
    actionRequired: boolean;
    recursive: boolean;
  };
  /** KiB. */
  'memory-device-size-change': { device: string; size: bigint };
  'nic-mac-change': { device: string; oldMac: string; newMac: string };
}

export type DomainEventType = keyof typeof EVENT_IDS;
/** An event of a domain; `type` tells which. */
export type DomainEvent = {
  [T in DomainEventType]: { type: T; domain: DomainIdentity } & EventPayloads[T];
}[DomainEventType];
export type DomainEventOf<T extends DomainEventType> = Extract<DomainEvent, { type: T }>;

export const CLOSE_REASONS = ['error', 'eof', 'keepalive', 'client'] as const;
/** Why a connection ended: `keepalive` is a daemon that no longer answers, `eof` one that went away. */
export type CloseReason = OneOf<typeof CLOSE_REASONS>;

/** What the native side sends: event id, domain's name, uuid, id, then the event's own fields in libvirt's order. */
export type NativeEvent = readonly [number, string, string, number, ...unknown[]];

type Fields = readonly unknown[];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const maybe = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const big = (value: unknown): bigint => value as bigint;
const num = (value: unknown): number => value as number;

function decodeLifecycle([event, detail]: Fields): EventPayloads['lifecycle'] {
  const name = LIFECYCLE_EVENTS[num(event)];
  if (name === undefined) return { event: `unlisted-${num(event)}`, detail: `unlisted-${num(detail)}` };
  return { event: name, detail: nameOf(LIFECYCLE_DETAILS[name], num(detail)) } as EventPayloads['lifecycle'];
}

const device = ([alias]: Fields): { device: string } => ({ device: text(alias) });
const nothing = (): object => ({});

const DECODERS: { readonly [T in DomainEventType]: (fields: Fields) => EventPayloads[T] } = {
  lifecycle: decodeLifecycle,
  reboot: nothing,
  'rtc-change': ([utcOffset]) => ({ utcOffset: big(utcOffset) }),
  watchdog: ([action]) => ({ action: nameOf(WATCHDOG_ACTIONS, num(action)) }),
  'io-error': ([srcPath, alias, action, reason]) => ({
    srcPath: text(srcPath),
    device: text(alias),
    action: nameOf(IO_ERROR_ACTIONS, num(action)),
    reason: text(reason),
  }),
  'control-error': nothing,
  'disk-change': ([oldPath, newPath, alias, reason]) => ({
    oldPath: maybe(oldPath),
    newPath: maybe(newPath),
    device: text(alias),
    reason: nameOf(DISK_CHANGE_REASONS, num(reason)),
  }),
  'tray-change': ([alias, change]) => ({ device: text(alias), change: nameOf(TRAY_CHANGES, num(change)) }),
  pmwakeup: nothing,
  pmsuspend: nothing,
  'balloon-change': ([actual]) => ({ actual: big(actual) }),
  'pmsuspend-disk': nothing,
  'device-removed': device,
  'block-job': ([disk, operation, status]) => ({
    disk: text(disk),
    operation: nameOf(BLOCK_JOB_TYPES, num(operation)),
    status: nameOf(BLOCK_JOB_STATUSES, num(status)),
  }),
  tunable: ([params]) => ({ params: decodeTypedParams(params as TypedValue[]) }),
  'agent-lifecycle': ([state, reason]) => ({
    state: nameOf(AGENT_STATES, num(state)),
    reason: nameOf(AGENT_REASONS, num(reason)),
  }),
  'device-added': device,
  'migration-iteration': ([iteration]) => ({ iteration: num(iteration) }),
  'job-completed': ([params]) => ({ job: decodeJobProgress(decodeTypedParams(params as TypedValue[])) }),
  'device-removal-failed': device,
  'metadata-change': ([type, uri]) => ({ metadata: nameOf(METADATA, num(type)), uri: maybe(uri) }),
  'block-threshold': ([alias, path, threshold, excess]) => ({
    device: text(alias),
    path: maybe(path),
    threshold: big(threshold),
    excess: big(excess),
  }),
  'memory-failure': ([recipient, action, flags]) => ({
    recipient: nameOf(FAILURE_RECIPIENTS, num(recipient)),
    action: nameOf(FAILURE_ACTIONS, num(action)),
    actionRequired: (num(flags) & 1) !== 0,
    recursive: (num(flags) & 2) !== 0,
  }),
  'memory-device-size-change': ([alias, size]) => ({ device: text(alias), size: big(size) }),
  'nic-mac-change': ([alias, oldMac, newMac]) => ({
    device: text(alias),
    oldMac: text(oldMac),
    newMac: text(newMac),
  }),
};

const TYPES_BY_ID = new Map<number, DomainEventType>(
  Object.entries(EVENT_IDS).map(([type, id]) => [id, type as DomainEventType]),
);

export function decodeEvent([id, name, uuid, runId, ...fields]: NativeEvent): DomainEvent {
  const type = TYPES_BY_ID.get(id);
  if (type === undefined) throw new TypeError(`libvirt event ${id} was never subscribed to`);
  return { type, domain: { name, uuid, id: runId }, ...DECODERS[type](fields) } as DomainEvent;
}
