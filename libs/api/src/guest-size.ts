import { quantityValue } from './quantity.ts';
import type { Quantity, VirtualMachineInstanceSpec } from './types.ts';

/** The quantity that says how much memory the guest sees: memory.guest, else the request, the limit, one huge page. */
export function guestMemoryQuantity(spec: VirtualMachineInstanceSpec): Quantity | undefined {
  const { memory, resources } = spec.domain;
  return (
    memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? memory?.hugepages?.pageSize
  );
}

/** Bytes of guest memory; undefined when the spec says nothing about memory. */
export function guestMemory(spec: VirtualMachineInstanceSpec): bigint | undefined {
  const quantity = guestMemoryQuantity(spec);
  return quantity === undefined ? undefined : quantityValue(quantity);
}

/** Size of the huge pages behind the guest's memory, such as 2Mi; undefined for ordinary pages. */
export function hugepageSize(spec: VirtualMachineInstanceSpec): string | undefined {
  return spec.domain.memory?.hugepages?.pageSize || undefined;
}

export interface Topology {
  sockets: number;
  cores: number;
  threads: number;
}

/** CPU topology; when the spec gives none, one socket for each CPU of the limit or else of the request. */
export function cpuTopology(spec: VirtualMachineInstanceSpec): Topology {
  const { cpu, resources } = spec.domain;
  if (cpu?.sockets || cpu?.cores || cpu?.threads) {
    return { sockets: cpu.sockets || 1, cores: cpu.cores || 1, threads: cpu.threads || 1 };
  }
  const asked = resources?.limits?.['cpu'] ?? resources?.requests?.['cpu'];
  return { sockets: asked === undefined ? 1 : Math.max(1, Number(quantityValue(asked))), cores: 1, threads: 1 };
}

/** Virtual CPUs that one guest can have, those it may grow to included: more need an IOMMU with extended interrupt mode. */
export const MAX_VCPUS = 255;

export function vcpus(spec: VirtualMachineInstanceSpec): number {
  const { sockets, cores, threads } = cpuTopology(spec);
  return sockets * cores * threads;
}

/** Seconds the guest has to shut down. */
export function gracePeriodSeconds(spec: VirtualMachineInstanceSpec): number {
  return spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS;
}

export const DEFAULT_GRACE_PERIOD_SECONDS = 30;
