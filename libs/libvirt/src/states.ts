// Names of libvirt's numbered states and reasons: libvirt's own, without the prefix, in kebab-case, indexed by number.

export const DOMAIN_STATES = [
  'nostate',
  'running',
  'blocked',
  'paused',
  'shutdown',
  'shutoff',
  'crashed',
  'pmsuspended',
] as const;

export const DOMAIN_REASONS = {
  nostate: ['unknown'],
  running: [
    'unknown',
    'booted',
    'migrated',
    'restored',
    'from-snapshot',
    'unpaused',
    'migration-canceled',
    'save-canceled',
    'wakeup',
    'crashed',
    'postcopy',
    'postcopy-failed',
  ],
  blocked: ['unknown'],
  paused: [
    'unknown',
    'user',
    'migration',
    'save',
    'dump',
    'ioerror',
    'watchdog',
    'from-snapshot',
    'shutting-down',
    'snapshot',
    'crashed',
    'starting-up',
    'postcopy',
    'postcopy-failed',
    'api-error',
  ],
  shutdown: ['unknown', 'user'],
  shutoff: ['unknown', 'shutdown', 'destroyed', 'crashed', 'migrated', 'saved', 'failed', 'from-snapshot', 'daemon'],
  crashed: ['unknown', 'panicked'],
  pmsuspended: ['unknown'],
} as const;

export type DomainState = (typeof DOMAIN_STATES)[number];
/** A number that a newer libvirt knows and this table does not. */
export type Unlisted = `unlisted-${number}`;
export type ReasonOf<S extends DomainState> = (typeof DOMAIN_REASONS)[S][number];

/** State and reason of a domain (virDomainGetState), each state with its own reasons. */
export type StateAndReason =
  | { [S in DomainState]: { state: S; reason: ReasonOf<S> | Unlisted } }[DomainState]
  | { state: Unlisted; reason: Unlisted };

/** Looks a number up in a table of names; a number outside of it stays visible instead of becoming a wrong name. */
export function nameOf<const T extends readonly string[]>(table: T, value: number): T[number] | Unlisted {
  return table[value] ?? `unlisted-${value}`;
}

export function decodeState(state: number, reason: number): StateAndReason {
  const name = DOMAIN_STATES[state];
  if (name === undefined) return { state: `unlisted-${state}`, reason: `unlisted-${reason}` };
  return { state: name, reason: nameOf(DOMAIN_REASONS[name], reason) } as StateAndReason;
}
