import { decodeState, nameOf, type StateAndReason, type Unlisted } from './states.ts';
import { compact, ParamReader, type TypedParams } from './typed-params.ts';

/** Who a domain is. `id` is QEMU's run number, -1 when it does not run. */
export interface DomainIdentity {
  name: string;
  uuid: string;
  id: number;
}

/** Nanoseconds. */
export interface CpuStats {
  time?: bigint;
  user?: bigint;
  system?: bigint;
}

export interface VcpuStats {
  /** The vCPU's number; offline ones leave gaps. */
  index: number;
  state?: 'offline' | 'running' | 'blocked' | Unlisted;
  /** Nanoseconds of CPU time. */
  time?: bigint;
  /** Nanoseconds spent waiting for I/O. */
  wait?: bigint;
  /** Nanoseconds runnable but not run: steal as the host sees it. */
  delay?: bigint;
  halted?: boolean;
}

/** KiB, but for the fault and page counters; `lastUpdate` is seconds since the epoch. */
export interface BalloonStats {
  current?: bigint;
  maximum?: bigint;
  swapIn?: bigint;
  swapOut?: bigint;
  majorFault?: bigint;
  minorFault?: bigint;
  unused?: bigint;
  available?: bigint;
  usable?: bigint;
  diskCaches?: bigint;
  hugetlbPgAlloc?: bigint;
  hugetlbPgFail?: bigint;
  rss?: bigint;
  lastUpdate?: bigint;
}

export interface TrafficStats {
  bytes?: bigint;
  pkts?: bigint;
  errs?: bigint;
  drop?: bigint;
}

/** Counters of one interface as the host's tap device has them: `rx` is what the guest receives. */
export interface NetStats {
  name?: string;
  rx: TrafficStats;
  tx: TrafficStats;
}

/** `times` in nanoseconds. */
export interface BlockRequestStats {
  reqs?: bigint;
  bytes?: bigint;
  times?: bigint;
}

export interface BlockStats {
  /** Target, such as `vda`. */
  name?: string;
  path?: string;
  backingIndex?: number;
  rd: BlockRequestStats;
  wr: BlockRequestStats;
  fl: Omit<BlockRequestStats, 'bytes'>;
  /** Bytes. */
  allocation?: bigint;
  capacity?: bigint;
  physical?: bigint;
  /** Offset of a write that raises block-threshold. */
  threshold?: bigint;
  errors?: bigint;
}

export const DIRTY_RATE_STATUSES = ['unstarted', 'measuring', 'measured'] as const;

export interface DirtyRateStats {
  status?: (typeof DIRTY_RATE_STATUSES)[number] | Unlisted;
  /** Seconds since the epoch of the host's clock. */
  startTime?: bigint;
  /** Seconds the measurement takes. */
  period?: number;
  /** MiB/s, present once measured. */
  megabytesPerSecond?: bigint;
  mode?: string;
}

/** One domain's answer to getAllDomainStats. A group that was not asked for, or that QEMU did not give, is absent. */
export interface DomainStats {
  domain: DomainIdentity;
  state?: StateAndReason;
  cpu?: CpuStats;
  vcpu?: { current?: number; maximum?: number; vcpus: VcpuStats[] };
  balloon?: BalloonStats;
  net?: NetStats[];
  block?: BlockStats[];
  dirtyRate?: DirtyRateStats;
  /** Everything libvirt said, by its own names. */
  params: TypedParams;
}

const VCPU_STATES = ['offline', 'running', 'blocked'] as const;

function readVcpu(params: TypedParams, vcpu: ParamReader): NonNullable<DomainStats['vcpu']> {
  const indexes = new Set<number>();
  for (const name of params.keys()) {
    const match = /^vcpu\.(\d+)\./.exec(name);
    if (match) indexes.add(Number(match[1]));
  }
  const vcpus = [...indexes]
    .sort((a, b) => a - b)
    .map((index): VcpuStats => {
      const one = vcpu.at(index);
      const state = one.number('state');
      const halted = one.string('halted');
      return {
        index,
        ...compact({
          state: state === undefined ? undefined : nameOf(VCPU_STATES, state),
          time: one.big('time'),
          wait: one.big('wait'),
          delay: one.big('delay'),
          halted: one.bool('halted') ?? (halted === undefined ? undefined : halted === 'yes'),
        }),
      };
    });
  return { ...compact({ current: vcpu.number('current'), maximum: vcpu.number('maximum') }), vcpus };
}

function readBalloon(balloon: ParamReader): BalloonStats {
  return compact({
    current: balloon.big('current'),
    maximum: balloon.big('maximum'),
    swapIn: balloon.big('swap_in'),
    swapOut: balloon.big('swap_out'),
    majorFault: balloon.big('major_fault'),
    minorFault: balloon.big('minor_fault'),
    unused: balloon.big('unused'),
    available: balloon.big('available'),
    usable: balloon.big('usable'),
    diskCaches: balloon.big('disk_caches'),
    hugetlbPgAlloc: balloon.big('hugetlb_pgalloc'),
    hugetlbPgFail: balloon.big('hugetlb_pgfail'),
    rss: balloon.big('rss'),
    lastUpdate: balloon.big('last-update'),
  });
}

function readTraffic(traffic: ParamReader): TrafficStats {
  return compact({
    bytes: traffic.big('bytes'),
    pkts: traffic.big('pkts'),
    errs: traffic.big('errs'),
    drop: traffic.big('drop'),
  });
}

function readBlock(block: ParamReader): BlockStats {
  const rd = block.at('rd');
  const wr = block.at('wr');
  const fl = block.at('fl');
  return {
    ...compact({
      name: block.string('name'),
      path: block.string('path'),
      backingIndex: block.number('backingIndex'),
      allocation: block.big('allocation'),
      capacity: block.big('capacity'),
      physical: block.big('physical'),
      threshold: block.big('threshold'),
      errors: block.big('errors'),
    }),
    rd: compact({ reqs: rd.big('reqs'), bytes: rd.big('bytes'), times: rd.big('times') }),
    wr: compact({ reqs: wr.big('reqs'), bytes: wr.big('bytes'), times: wr.big('times') }),
    fl: compact({ reqs: fl.big('reqs'), times: fl.big('times') }),
  };
}

function readDirtyRate(rate: ParamReader): DirtyRateStats {
  const status = rate.number('calc_status');
  return compact({
    status: status === undefined ? undefined : nameOf(DIRTY_RATE_STATUSES, status),
    startTime: rate.big('calc_start_time'),
    period: rate.number('calc_period'),
    megabytesPerSecond: rate.big('megabytes_per_second'),
    mode: rate.string('calc_mode'),
  });
}

/** The nested form of one domain's stats (names: virConnectGetAllDomainStats). */
export function decodeDomainStats(domain: DomainIdentity, params: TypedParams): DomainStats {
  const all = new ParamReader(params);
  const state = all.at('state');
  const number = state.number('state');
  const cpu = all.at('cpu');
  const vcpu = all.at('vcpu');
  const balloon = all.at('balloon');
  const rate = all.at('dirtyrate');
  return {
    domain,
    ...compact({
      state: number === undefined ? undefined : decodeState(number, state.number('reason') ?? 0),
      cpu: cpu.present
        ? compact({ time: cpu.big('time'), user: cpu.big('user'), system: cpu.big('system') })
        : undefined,
      vcpu: vcpu.present ? readVcpu(params, vcpu) : undefined,
      balloon: balloon.present ? readBalloon(balloon) : undefined,
      net: all.list('net', (net) => ({
        ...compact({ name: net.string('name') }),
        rx: readTraffic(net.at('rx')),
        tx: readTraffic(net.at('tx')),
      })),
      block: all.list('block', readBlock),
      dirtyRate: rate.present ? readDirtyRate(rate) : undefined,
    }),
    params,
  };
}
