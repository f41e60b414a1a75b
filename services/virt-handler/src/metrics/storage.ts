import type { GetDomainStatsResponse } from '@yagura/contracts';
import { counter, type Series } from '@yagura/runtime/metrics';
import { figure, nanoseconds } from './figures.ts';

const storage = (what: string, help: string) => counter(`kubevirt_vmi_storage_${what}_total`, help);

export const STORAGE = {
  reads: storage('iops_read', 'Read requests of the guest.'),
  writes: storage('iops_write', 'Write requests of the guest.'),
  readBytes: storage('read_traffic_bytes', 'Bytes that the guest has read.'),
  writtenBytes: storage('write_traffic_bytes', 'Bytes that the guest has written.'),
  readTime: storage('read_times_seconds', 'Time that reads have taken.'),
  writeTime: storage('write_times_seconds', 'Time that writes have taken.'),
  flushes: storage('flush_requests', 'Flush requests of the guest.'),
  flushTime: storage('flush_times_seconds', 'Time that flushes have taken.'),
};

/** Requests by volume of the spec; by target (such as vda) where libvirt's disk is in no spec. */
export function storageSeries({ blocks }: GetDomainStatsResponse): Series[] {
  return blocks.flatMap((disk) => {
    const drive = disk.name || disk.target;
    if (drive === '') return [];
    const labels = { drive };
    return [
      ...figure(STORAGE.reads, disk.readRequests, labels),
      ...figure(STORAGE.writes, disk.writeRequests, labels),
      ...figure(STORAGE.readBytes, disk.readBytes, labels),
      ...figure(STORAGE.writtenBytes, disk.writeBytes, labels),
      ...nanoseconds(STORAGE.readTime, disk.readNanoseconds, labels),
      ...nanoseconds(STORAGE.writeTime, disk.writeNanoseconds, labels),
      ...figure(STORAGE.flushes, disk.flushRequests, labels),
      ...nanoseconds(STORAGE.flushTime, disk.flushNanoseconds, labels),
    ];
  });
}
