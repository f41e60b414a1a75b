import { nameOf, type Unlisted } from './states.ts';
import { compact, ParamReader, type TypedParams, type TypedValue } from './typed-params.ts';

export const JOB_TYPES = ['none', 'bounded', 'unbounded', 'completed', 'failed', 'cancelled'] as const;
export type JobType = (typeof JOB_TYPES)[number];

export const JOB_OPERATIONS = [
  'unknown',
  'start',
  'save',
  'restore',
  'migration-in',
  'migration-out',
  'snapshot',
  'snapshot-revert',
  'dump',
  'backup',
  'snapshot-delete',
] as const;
export type JobOperation = (typeof JOB_OPERATIONS)[number];

/** Progress of a domain's job (virDomainGetJobStats): times in ms, amounts in bytes, rates in bytes/s. */
export interface JobProgress {
  operation?: JobOperation | Unlisted;
  timeElapsed?: bigint;
  timeElapsedNet?: bigint;
  timeRemaining?: bigint;
  /** Of a live job: expected; of a completed one: measured. */
  downtime?: bigint;
  downtimeNet?: bigint;
  setupTime?: bigint;
  dataTotal?: bigint;
  dataProcessed?: bigint;
  dataRemaining?: bigint;
  memoryTotal?: bigint;
  memoryProcessed?: bigint;
  memoryRemaining?: bigint;
  memoryBps?: bigint;
  /** Pages per second. */
  memoryDirtyRate?: bigint;
  memoryPageSize?: bigint;
  memoryIteration?: bigint;
  memoryPostcopyRequests?: bigint;
  diskTotal?: bigint;
  diskProcessed?: bigint;
  diskRemaining?: bigint;
  diskBps?: bigint;
  /** Percent. */
  autoConvergeThrottle?: number;
  success?: boolean;
  errorMessage?: string;
  params: TypedParams;
}

export interface JobStats extends JobProgress {
  type: JobType | Unlisted;
}

export function decodeJobProgress(params: TypedParams): JobProgress {
  const job = new ParamReader(params);
  const operation = job.number('operation');
  return {
    ...compact({
      operation: operation === undefined ? undefined : nameOf(JOB_OPERATIONS, operation),
      timeElapsed: job.big('time_elapsed'),
      timeElapsedNet: job.big('time_elapsed_net'),
      timeRemaining: job.big('time_remaining'),
      downtime: job.big('downtime'),
      downtimeNet: job.big('downtime_net'),
      setupTime: job.big('setup_time'),
      dataTotal: job.big('data_total'),
      dataProcessed: job.big('data_processed'),
      dataRemaining: job.big('data_remaining'),
      memoryTotal: job.big('memory_total'),
      memoryProcessed: job.big('memory_processed'),
      memoryRemaining: job.big('memory_remaining'),
      memoryBps: job.big('memory_bps'),
      memoryDirtyRate: job.big('memory_dirty_rate'),
      memoryPageSize: job.big('memory_page_size'),
      memoryIteration: job.big('memory_iteration'),
      memoryPostcopyRequests: job.big('memory_postcopy_requests'),
      diskTotal: job.big('disk_total'),
      diskProcessed: job.big('disk_processed'),
      diskRemaining: job.big('disk_remaining'),
      diskBps: job.big('disk_bps'),
      autoConvergeThrottle: job.number('auto_converge_throttle'),
      success: job.bool('success'),
      errorMessage: job.string('errmsg'),
    }),
    params,
  };
}

export function decodeJobStats(type: number, params: TypedParams): JobStats {
  return { type: nameOf(JOB_TYPES, type), ...decodeJobProgress(params) };
}

/** Parameters of migrateToURI3; libvirt's VIR_MIGRATE_PARAM_* in camelCase. */
export interface MigrateParams {
  /** Where the hypervisor connects to, such as `unix:///…` or `tcp://host`. */
  migrateUri?: string;
  destinationName?: string;
  destinationXml?: string;
  persistentXml?: string;
  /** MiB/s. */
  bandwidth?: bigint;
  /** MiB/s of the post-copy phase. */
  bandwidthPostcopy?: bigint;
  graphicsUri?: string;
  listenAddress?: string;
  migrateDisks?: readonly string[];
  disksPort?: number;
  /** For NBD over a unix socket, such as `unix:///…`. */
  disksUri?: string;
  compression?: readonly string[];
  autoConvergeInitial?: number;
  autoConvergeIncrement?: number;
  parallelConnections?: number;
  tlsDestination?: string;
}

type ParamType = 'string' | 'ullong' | 'int' | 'strings';

/** libvirt's name and type of each parameter. */
const MIGRATE_PARAMS: { readonly [K in keyof Required<MigrateParams>]: readonly [string, ParamType] } = {
  migrateUri: ['migrate_uri', 'string'],
  destinationName: ['destination_name', 'string'],
  destinationXml: ['destination_xml', 'string'],
  persistentXml: ['persistent_xml', 'string'],
  bandwidth: ['bandwidth', 'ullong'],
  bandwidthPostcopy: ['bandwidth.postcopy', 'ullong'],
  graphicsUri: ['graphics_uri', 'string'],
  listenAddress: ['listen_address', 'string'],
  migrateDisks: ['migrate_disks', 'strings'],
  disksPort: ['disks_port', 'int'],
  disksUri: ['disks_uri', 'string'],
  compression: ['compression', 'strings'],
  autoConvergeInitial: ['auto_converge.initial', 'int'],
  autoConvergeIncrement: ['auto_converge.increment', 'int'],
  parallelConnections: ['parallel.connections', 'int'],
  tlsDestination: ['tls.destination', 'string'],
};

/** name, value, name, value, …: a bigint becomes ullong, a number int, a string string. */
export function encodeMigrateParams(params: MigrateParams): TypedValue[] {
  const flat: TypedValue[] = [];
  for (const [key, value] of Object.entries(params) as [keyof MigrateParams, unknown][]) {
    if (value === undefined) continue;
    const known = Object.hasOwn(MIGRATE_PARAMS, key) ? MIGRATE_PARAMS[key] : undefined;
    if (known === undefined) {
      throw new TypeError(
        `Domain.migrateToURI3: unknown parameter "${key}"; known are ${Object.keys(MIGRATE_PARAMS).join(', ')}`,
      );
    }
    const [name, type] = known;
    for (const item of type === 'strings' ? strings(key, value) : [value]) flat.push(name, checked(key, type, item));
  }
  return flat;
}

function strings(key: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`Domain.migrateToURI3: ${key} must be an array of strings`);
  return value;
}

function checked(key: string, type: ParamType, value: unknown): TypedValue {
  const wanted = { string: 'a string', strings: 'an array of strings', int: 'a 32-bit integer', ullong: 'a bigint' }[
    type
  ];
  if ((type === 'string' || type === 'strings') && typeof value === 'string') return value;
  if (type === 'int' && typeof value === 'number' && (value | 0) === value) return value;
  if (type === 'ullong' && typeof value === 'bigint' && value >= 0n && value < 2n ** 64n) return value;
  throw new TypeError(`Domain.migrateToURI3: ${key} must be ${wanted}`);
}
