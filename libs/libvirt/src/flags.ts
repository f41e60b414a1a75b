// Flags of libvirt's calls, by name. Bits are libvirt's ABI and never change.

const bit = (n: number): number => 2 ** n;

function flags<const T extends Record<string, number>>(table: T): T {
  return table;
}

export const CREATE_FLAGS = flags({
  paused: bit(0),
  autodestroy: bit(1),
  'bypass-cache': bit(2),
  'force-boot': bit(3),
  validate: bit(4),
  'reset-nvram': bit(5),
});
export const DEFINE_FLAGS = flags({ validate: bit(0) });
export const UNDEFINE_FLAGS = flags({
  'managed-save': bit(0),
  'snapshots-metadata': bit(1),
  nvram: bit(2),
  'keep-nvram': bit(3),
  'checkpoints-metadata': bit(4),
  tpm: bit(5),
  'keep-tpm': bit(6),
});
export const SHUTDOWN_FLAGS = flags({
  acpi: bit(0),
  'guest-agent': bit(1),
  initctl: bit(2),
  signal: bit(3),
  paravirt: bit(4),
});
export const DESTROY_FLAGS = flags({ graceful: bit(0), 'remove-logs': bit(1) });
export const XML_FLAGS = flags({ secure: bit(0), inactive: bit(1), 'update-cpu': bit(2), migratable: bit(3) });
export const IMPACT_FLAGS = flags({ live: bit(0), config: bit(1) });
export const DEVICE_FLAGS = flags({ live: bit(0), config: bit(1), force: bit(2) });
export const VCPU_FLAGS = flags({ live: bit(0), config: bit(1), maximum: bit(2), guest: bit(3), hotpluggable: bit(4) });
export const LIST_FLAGS = flags({
  active: bit(0),
  inactive: bit(1),
  persistent: bit(2),
  transient: bit(3),
  running: bit(4),
  paused: bit(5),
  shutoff: bit(6),
  other: bit(7),
});
export const STATS_GROUPS = flags({
  state: bit(0),
  cpu: bit(1),
  balloon: bit(2),
  vcpu: bit(3),
  interface: bit(4),
  block: bit(5),
  perf: bit(6),
  iothread: bit(7),
  memory: bit(8),
  dirtyrate: bit(9),
  vm: bit(10),
});
export const STATS_FLAGS = flags({
  ...LIST_FLAGS,
  nowait: bit(29),
  backing: bit(30),
  'enforce-stats': bit(31),
});
export const GUEST_INFO_TYPES = flags({
  users: bit(0),
  os: bit(1),
  timezone: bit(2),
  hostname: bit(3),
  filesystem: bit(4),
  disks: bit(5),
  interfaces: bit(6),
  /** libvirt 11.2 and newer. */
  load: bit(7),
});
export const JOB_STATS_FLAGS = flags({ completed: bit(0), 'keep-completed': bit(1) });
export const DIRTY_RATE_MODES = flags({ 'page-sampling': 0, 'dirty-bitmap': bit(0), 'dirty-ring': bit(1) });
export const SET_TIME_FLAGS = flags({ sync: bit(0) });
export const MIGRATE_FLAGS = flags({
  live: bit(0),
  peer2peer: bit(1),
  tunnelled: bit(2),
  'persist-dest': bit(3),
  'undefine-source': bit(4),
  paused: bit(5),
  'non-shared-disk': bit(6),
  'non-shared-inc': bit(7),
  'change-protection': bit(8),
  unsafe: bit(9),
  offline: bit(10),
  compressed: bit(11),
  'abort-on-error': bit(12),
  'auto-converge': bit(13),
  'rdma-pin-all': bit(14),
  postcopy: bit(15),
  tls: bit(16),
  parallel: bit(17),
  'non-shared-synchronous-writes': bit(18),
  'postcopy-resume': bit(19),
  zerocopy: bit(20),
});
export const ABORT_JOB_FLAGS = flags({ postcopy: bit(0) });
export const ADDRESS_SOURCES = ['lease', 'agent', 'arp'] as const;
export const METADATA_TYPES = ['description', 'title', 'element'] as const;

export type Names<T> = Extract<keyof T, string>;
export type CreateFlag = Names<typeof CREATE_FLAGS>;
export type DefineFlag = Names<typeof DEFINE_FLAGS>;
export type UndefineFlag = Names<typeof UNDEFINE_FLAGS>;
export type ShutdownFlag = Names<typeof SHUTDOWN_FLAGS>;
export type DestroyFlag = Names<typeof DESTROY_FLAGS>;
export type XmlFlag = Names<typeof XML_FLAGS>;
export type ImpactFlag = Names<typeof IMPACT_FLAGS>;
export type DeviceFlag = Names<typeof DEVICE_FLAGS>;
export type VcpuFlag = Names<typeof VCPU_FLAGS>;
export type ListFlag = Names<typeof LIST_FLAGS>;
export type StatsGroup = Names<typeof STATS_GROUPS>;
export type StatsFlag = Names<typeof STATS_FLAGS>;
export type GuestInfoType = Names<typeof GUEST_INFO_TYPES>;
export type JobStatsFlag = Names<typeof JOB_STATS_FLAGS>;
export type DirtyRateMode = Names<typeof DIRTY_RATE_MODES>;
export type SetTimeFlag = Names<typeof SET_TIME_FLAGS>;
export type MigrateFlag = Names<typeof MIGRATE_FLAGS>;
export type AbortJobFlag = Names<typeof ABORT_JOB_FLAGS>;
export type AddressSource = (typeof ADDRESS_SOURCES)[number];
export type MetadataType = (typeof METADATA_TYPES)[number];

/** The bits of named flags. `what` names the argument in the TypeError for a name that the table lacks. */
export function toBits(what: string, table: Readonly<Record<string, number>>, names: readonly string[]): number {
  if (!Array.isArray(names)) throw new TypeError(`${what}: expected an array of names, got ${describe(names)}`);
  let bits = 0;
  for (const name of names as readonly unknown[]) {
    const value = typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
    if (value === undefined) {
      throw new TypeError(`${what}: unknown name ${describe(name)}; known are ${Object.keys(table).join(', ')}`);
    }
    // Not `|`: bit 31 would turn the number negative.
    if (Math.floor(bits / Math.max(value, 1)) % 2 === 0) bits += value;
  }
  return bits;
}

/** The index of a name in a list of names, or a TypeError that says what is known. */
export function toIndex(what: string, list: readonly string[], name: string): number {
  const index = list.indexOf(name);
  if (index < 0) throw new TypeError(`${what}: unknown name ${describe(name)}; known are ${list.join(', ')}`);
  return index;
}

export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return `${typeof value} ${value}`;
  return Array.isArray(value) ? 'array' : typeof value;
}
