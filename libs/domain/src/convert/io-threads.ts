import type { Disk, VmiSpec } from '../vmi.ts';

/** I/O threads of a domain, and which of them serve each virtio disk; numbers begin at 1. */
export interface IoThreadPlan {
  count: number;
  of: ReadonlyMap<string, readonly number[]>;
}

/** With policy auto, threads for each virtual CPU; more would only wait for one. */
const THREADS_PER_VCPU = 2;

/**
 * Disks with a dedicated thread get one each, behind the threads that the others share: one with policy shared or none,
 * as many as the limit leaves with auto. A supplemental pool serves all disks together.
 */
export function ioThreadPlan(spec: VmiSpec, vcpus: number): IoThreadPlan {
  const { devices, ioThreadsPolicy, ioThreads } = spec.domain;
  const disks = (devices?.disks ?? []).filter(isVirtio);
  const dedicated = disks.filter(({ dedicatedIOThread }) => dedicatedIOThread === true);
  if (ioThreadsPolicy === 'supplementalPool') {
    const count = ioThreads?.supplementalPoolThreadCount ?? 1;
    const all = Array.from({ length: count }, (_, index) => index + 1);
    return { count, of: new Map(disks.map(({ name }) => [name, all])) };
  }
  if (!ioThreadsPolicy && dedicated.length === 0) return { count: 0, of: new Map() };
  const limit = ioThreadsPolicy === 'auto' ? vcpus * THREADS_PER_VCPU : 1;
  const sharing = disks.length - dedicated.length;
  const shared = Math.max(1, Math.min(sharing, limit - dedicated.length));
  const of = new Map<string, readonly number[]>();
  let nextShared = 0;
  let nextDedicated = shared;
  for (const { name, dedicatedIOThread } of disks) {
    of.set(name, [dedicatedIOThread ? ++nextDedicated : (nextShared++ % shared) + 1]);
  }
  return { count: shared + dedicated.length, of };
}

function isVirtio({ disk }: Disk): boolean {
  return disk?.bus === 'virtio';
}
