import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  AnswerState,
  type GetDomainStatsResponse,
  GetDomainStatsResponseSchema,
  GetFilesystemsResponseSchema,
  GetGuestInfoResponseSchema,
} from '@yagura/contracts';
import { createLogger } from '@yagura/runtime';
import type { Series } from '@yagura/runtime/metrics';
import type { Instance } from '../rest/instances.ts';
import { testVmi } from '../vmi/testing.ts';
import type { CollectorParts } from './collector.ts';

export const AT = new Date('2026-11-30T22:33:54.600Z');
const at = { seconds: BigInt(Math.floor(AT.getTime() / 1000)), nanos: 600_000_000 };
export const secondsBefore = (seconds: number) => ({ seconds: at.seconds - BigInt(seconds) });

export const MEMORY = {
  balloonCurrentKibibytes: 196_608n,
  balloonMaximumKibibytes: 196_608n,
  rssKibibytes: 247_176n,
  availableKibibytes: 151_628n,
  unusedKibibytes: 99_300n,
  usableKibibytes: 97_316n,
  diskCachesKibibytes: 12_700n,
  swapInKibibytes: 0n,
  swapOutKibibytes: 0n,
  majorFaults: 0n,
  minorFaults: 4520n,
  balloonUpdatedAt: secondsBefore(5),
};

/** What a launcher has answered for a guest with one CPU, one interface and one disk. */
export function stats(part: MessageInitShape<typeof GetDomainStatsResponseSchema> = {}): GetDomainStatsResponse {
  return create(GetDomainStatsResponseSchema, {
    observedAt: at,
    cpu: { timeNanoseconds: 173_680_000_000n, userNanoseconds: 139_750_000_000n, systemNanoseconds: 33_930_000_000n },
    vcpus: [
      {
        id: 0,
        state: 'running',
        timeNanoseconds: 36_450_000_000n,
        waitNanoseconds: 0n,
        delayNanoseconds: 90_136_677_278n,
      },
    ],
    memory: MEMORY,
    interfaces: [
      {
        name: 'default',
        device: 'tap0',
        rxBytes: 3258n,
        rxPackets: 33n,
        rxErrors: 0n,
        rxDrops: 1n,
        txBytes: 1830n,
        txPackets: 17n,
        txErrors: 2n,
        txDrops: 0n,
      },
    ],
    blocks: [
      {
        name: 'root',
        target: 'vda',
        readRequests: 941n,
        readBytes: 25_350_144n,
        readNanoseconds: 337_333_260n,
        writeRequests: 1n,
        writeBytes: 1024n,
        writeNanoseconds: 12_601_017n,
        flushRequests: 1n,
        flushNanoseconds: 1_890_009n,
      },
    ],
    ...part,
  } as MessageInitShape<typeof GetDomainStatsResponseSchema>);
}

export const filesystems = (seconds = 5) =>
  create(GetFilesystemsResponseSchema, {
    status: { state: AnswerState.OK, observedAt: secondsBefore(seconds) },
    filesystems: [
      { diskName: 'vda1', mountPoint: '/', type: 'ext4', usedBytes: 12_345_678n, totalBytes: 60_000_000n },
      { diskName: 'vdb', mountPoint: '/mnt/cd', type: 'iso9660' },
    ],
  });

export const guestInfo = (seconds = 5) =>
  create(GetGuestInfoResponseSchema, {
    load: { oneMinute: 0.52, fiveMinutes: 0.25, fifteenMinutes: 0.1 },
    loadStatus: { state: AnswerState.OK, observedAt: secondsBefore(seconds) },
  });

/** An instance whose launcher answers as it is told to. */
export function instanceOf(
  name: string,
  calls: { getDomainStats?: () => Promise<unknown>; getFilesystems?: () => Promise<unknown> },
  link: object = {},
): Instance {
  return {
    vmi: testVmi({ phase: 'Running' }, {}, { name, labels: { 'example.org/role': 'db' } }),
    pod: undefined,
    link: {
      silentMs: () => 0,
      agentConnectedAt: 1,
      guest: guestInfo(),
      calls: { getDomainStats: async () => stats(), getFilesystems: async () => filesystems(), ...calls },
      ...link,
    },
  } as unknown as Instance;
}

export function collectorParts(instances: Instance[], samples: CollectorParts['samples'] = () => []): CollectorParts {
  return {
    nodeName: 'node-a',
    instances: { all: () => instances },
    samples,
    balloonPeriodSeconds: () => 10,
    log: createLogger('test'),
    now: () => AT,
  };
}

/** The series in short: name without `kubevirt_vmi_`, labels, value. */
export function lines(series: readonly Series[]): string[] {
  return series.map(({ family, labels, value }) => {
    const inside = Object.entries(labels).map(([key, text]) => `${key}=${text}`);
    return `${family.name.replace('kubevirt_vmi_', '')}${inside.length > 0 ? `{${inside.join()}}` : ''} ${value}`;
  });
}
