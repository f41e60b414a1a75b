import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  BlockStatsSchema,
  GetDomainStatsResponseSchema,
  InterfaceStatsSchema,
  MemoryStatsSchema,
} from '@yagura/contracts';
import type { LiveDomain } from '@yagura/domain';
import type { BalloonStats, BlockStats, DomainStats, NetStats } from '@yagura/libvirt';
import { present, timestamp } from './domain-message.ts';

/** libvirt's figures with the spec's names; what libvirt did not say stays absent. */
export function statsMessage(
  stats: DomainStats,
  live: LiveDomain | undefined,
  at: Date,
): MessageInitShape<typeof GetDomainStatsResponseSchema> {
  const { cpu, vcpu, balloon, net, block, dirtyRate } = stats;
  return present({
    observedAt: timestamp(at),
    cpu: cpu && present({ timeNanoseconds: cpu.time, userNanoseconds: cpu.user, systemNanoseconds: cpu.system }),
    vcpus: vcpu?.vcpus.map((one) =>
      present({
        id: one.index,
        state: one.state,
        timeNanoseconds: one.time,
        waitNanoseconds: one.wait,
        delayNanoseconds: one.delay,
      }),
    ),
    memory: balloon && memory(balloon),
    interfaces: net?.map((nic) => networkInterface(nic, live)),
    blocks: block?.map((disk) => blockDevice(disk, live)),
    dirtyRate:
      dirtyRate?.megabytesPerSecond === undefined
        ? undefined
        : present({
            mebibytesPerSecond: dirtyRate.megabytesPerSecond,
            calculatedAt: fromSeconds(dirtyRate.startTime),
          }),
  });
}

function memory(balloon: BalloonStats): MessageInitShape<typeof MemoryStatsSchema> {
  return present({
    balloonCurrentKibibytes: balloon.current,
    balloonMaximumKibibytes: balloon.maximum,
    rssKibibytes: balloon.rss,
    availableKibibytes: balloon.available,
    unusedKibibytes: balloon.unused,
    usableKibibytes: balloon.usable,
    diskCachesKibibytes: balloon.diskCaches,
    swapInKibibytes: balloon.swapIn,
    swapOutKibibytes: balloon.swapOut,
    majorFaults: balloon.majorFault,
    minorFaults: balloon.minorFault,
    // 0 is libvirt's way to say that the driver never reported.
    balloonUpdatedAt: balloon.lastUpdate === 0n ? undefined : fromSeconds(balloon.lastUpdate),
  });
}

function networkInterface(nic: NetStats, live: LiveDomain | undefined): MessageInitShape<typeof InterfaceStatsSchema> {
  const spec = live?.interfaces.find(({ targetDevice }) => targetDevice === nic.name);
  return present({
    name: spec?.name ?? '',
    device: nic.name ?? '',
    rxBytes: nic.rx.bytes,
    rxPackets: nic.rx.pkts,
    rxErrors: nic.rx.errs,
    rxDrops: nic.rx.drop,
    txBytes: nic.tx.bytes,
    txPackets: nic.tx.pkts,
    txErrors: nic.tx.errs,
    txDrops: nic.tx.drop,
  });
}

function blockDevice(disk: BlockStats, live: LiveDomain | undefined): MessageInitShape<typeof BlockStatsSchema> {
  const spec = live?.disks.find(({ target }) => target === disk.name);
  return present({
    name: spec?.name ?? '',
    target: disk.name ?? '',
    readRequests: disk.rd.reqs,
    readBytes: disk.rd.bytes,
    readNanoseconds: disk.rd.times,
    writeRequests: disk.wr.reqs,
    writeBytes: disk.wr.bytes,
    writeNanoseconds: disk.wr.times,
    flushRequests: disk.fl.reqs,
    flushNanoseconds: disk.fl.times,
    allocationBytes: disk.allocation,
    capacityBytes: disk.capacity,
    physicalBytes: disk.physical,
  });
}

function fromSeconds(seconds: bigint | undefined) {
  return seconds === undefined ? undefined : timestamp(new Date(Number(seconds) * 1000));
}
