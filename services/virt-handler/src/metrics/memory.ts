import type { GetDomainStatsResponse } from '@yagura/contracts';
import { toDate } from '@yagura/layers/launcher';
import { counter, gauge, type Series } from '@yagura/runtime/metrics';
import { figure, kibibytes } from './figures.ts';

export const MEMORY = {
  resident: gauge('kubevirt_vmi_memory_resident_bytes', 'Resident memory of the QEMU that runs the guest.'),
  actualBalloon: gauge('kubevirt_vmi_memory_actual_balloon_bytes', 'Memory that the balloon leaves to the guest.'),
  domain: gauge('kubevirt_vmi_memory_domain_bytes', 'Memory that the domain has now.'),
  available: gauge('kubevirt_vmi_memory_available_bytes', 'Memory of the guest as its kernel counts it.'),
  unused: gauge('kubevirt_vmi_memory_unused_bytes', 'Memory of the guest that is in no use at all.'),
  cached: gauge('kubevirt_vmi_memory_cached_bytes', 'Memory of the guest that holds caches and can be reclaimed.'),
  usable: gauge('kubevirt_vmi_memory_usable_bytes', 'Memory that the balloon could take without the guest swapping.'),
  swapIn: gauge('kubevirt_vmi_memory_swap_in_traffic_bytes', 'Read by the guest from its swap space since it booted.'),
  swapOut: gauge(
    'kubevirt_vmi_memory_swap_out_traffic_bytes',
    'Written by the guest to its swap space since it booted.',
  ),
  majorFaults: counter('kubevirt_vmi_memory_pgmajfault_total', 'Page faults of the guest that needed its disk.'),
  minorFaults: counter('kubevirt_vmi_memory_pgminfault_total', 'Page faults of the guest that needed no disk.'),
  balloonAge: gauge(
    'yagura_vmi_memory_balloon_age_seconds',
    'Seconds since the balloon driver of the guest last reported; absent when it never did.',
  ),
};

/** Periods of the balloon's statistics after which its last report says nothing about now. */
const STALE_PERIODS = 3;

/**
 * Memory as libvirt and the guest's balloon driver see it. What the driver said is left out once it is older than
 * three of its periods: a guest that is paused or hangs, or has no driver any more, does not renew it.
 */
export function memorySeries({ memory, observedAt }: GetDomainStatsResponse, balloonPeriodSeconds: number): Series[] {
  if (memory === undefined) return [];
  const [updated, now] = [toDate(memory.balloonUpdatedAt), toDate(observedAt)];
  // The time of the update is in whole seconds, so it can be said to be in the future.
  const age = updated && now && Math.max(0, now.getTime() - updated.getTime()) / 1000;
  const fresh = age !== undefined && age <= STALE_PERIODS * balloonPeriodSeconds;
  return [
    ...kibibytes(MEMORY.resident, memory.rssKibibytes),
    ...kibibytes(MEMORY.actualBalloon, memory.balloonCurrentKibibytes),
    ...kibibytes(MEMORY.domain, memory.balloonCurrentKibibytes),
    ...figure(MEMORY.balloonAge, age),
    ...(fresh
      ? [
          ...kibibytes(MEMORY.available, memory.availableKibibytes),
          ...kibibytes(MEMORY.unused, memory.unusedKibibytes),
          ...kibibytes(MEMORY.cached, memory.diskCachesKibibytes),
          ...kibibytes(MEMORY.usable, memory.usableKibibytes),
          ...kibibytes(MEMORY.swapIn, memory.swapInKibibytes),
          ...kibibytes(MEMORY.swapOut, memory.swapOutKibibytes),
          ...figure(MEMORY.majorFaults, memory.majorFaults),
          ...figure(MEMORY.minorFaults, memory.minorFaults),
        ]
      : []),
  ];
}
