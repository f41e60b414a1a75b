import { type DOMAIN_STATES, type Unlisted } from './states.ts';
import { compact, ParamReader, type TypedParams } from './typed-params.ts';

/** Memory in KiB, `cpuTime` in nanoseconds. */
export interface DomainInfo {
  state: (typeof DOMAIN_STATES)[number] | Unlisted;
  maxMemory: bigint;
  memory: bigint;
  vcpus: number;
  cpuTime: bigint;
}

export const CONTROL_STATES = ['ok', 'job', 'occupied', 'error'] as const;
export const CONTROL_ERROR_REASONS = ['none', 'unknown', 'monitor', 'internal'] as const;

export interface ControlInfo {
  state: (typeof CONTROL_STATES)[number] | Unlisted;
  errorReason: (typeof CONTROL_ERROR_REASONS)[number] | Unlisted;
  /** For how long it has been in this state; 0 for `ok` and `error`. */
  stateTimeMs: number;
}

/** libvirt's tags, by number; KiB but for faults and pages, `lastUpdate` in seconds since the epoch. */
const MEMORY_TAGS = [
  'swapIn',
  'swapOut',
  'majorFault',
  'minorFault',
  'unused',
  'available',
  'actualBalloon',
  'rss',
  'usable',
  'lastUpdate',
  'diskCaches',
  'hugetlbPgAlloc',
  'hugetlbPgFail',
] as const;

/** What is absent was not reported. */
export type DomainMemoryStats = { [T in (typeof MEMORY_TAGS)[number]]?: bigint };

/** From tag, value, tag, value, … A tag newer than the table is left out. */
export function decodeMemoryStats(flat: readonly (number | bigint)[]): DomainMemoryStats {
  const stats: DomainMemoryStats = {};
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const tag = MEMORY_TAGS[Number(flat[i])];
    if (tag !== undefined) stats[tag] = flat[i + 1] as bigint;
  }
  return stats;
}

/** Times in nanoseconds. */
export interface DomainBlockStats {
  rdBytes?: bigint;
  rdOperations?: bigint;
  rdTotalTimes?: bigint;
  wrBytes?: bigint;
  wrOperations?: bigint;
  wrTotalTimes?: bigint;
  flushOperations?: bigint;
  flushTotalTimes?: bigint;
  errs?: bigint;
}

export function decodeBlockStats(params: TypedParams): DomainBlockStats {
  const disk = new ParamReader(params);
  return compact({
    rdBytes: disk.big('rd_bytes'),
    rdOperations: disk.big('rd_operations'),
    rdTotalTimes: disk.big('rd_total_times'),
    wrBytes: disk.big('wr_bytes'),
    wrOperations: disk.big('wr_operations'),
    wrTotalTimes: disk.big('wr_total_times'),
    flushOperations: disk.big('flush_operations'),
    flushTotalTimes: disk.big('flush_total_times'),
    errs: disk.big('errs'),
  });
}

/** Bytes. */
export interface DomainBlockInfo {
  /** As the guest sees it. */
  capacity: bigint;
  /** Highest written extent, or blocks in use. */
  allocation: bigint;
  /** Size of the container. */
  physical: bigint;
}

export interface DomainInterfaceStats {
  rxBytes?: bigint;
  rxPkts?: bigint;
  rxErrs?: bigint;
  rxDrop?: bigint;
  txBytes?: bigint;
  txPkts?: bigint;
  txErrs?: bigint;
  txDrop?: bigint;
}

export const DISK_ERRORS = ['none', 'unspecified', 'no-space'] as const;

export interface DiskError {
  /** Target, such as `vda`. */
  disk: string;
  error: (typeof DISK_ERRORS)[number] | Unlisted;
}
