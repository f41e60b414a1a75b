import { cpuTopology, guestMemoryQuantity, quantityValue } from '@yagura/api';
import { ConversionError } from '../errors.ts';
import type { CpuModel } from '../model.ts';
import type { VmiSpec } from '../vmi.ts';

/** Bytes of guest memory. */
export function memoryBytes(spec: VmiSpec): bigint {
  const field = 'spec.domain.memory.guest';
  const quantity = guestMemoryQuantity(spec);
  if (quantity === undefined) throw new ConversionError(field, 'the guest has no memory size');
  const bytes = quantityBytes(field, quantity);
  if (bytes <= 0n) throw new ConversionError(field, 'the memory size must be above zero');
  return bytes;
}

/** Bytes up to which the guest may grow while it runs; undefined when it has no room to. */
export function maxMemoryBytes(spec: VmiSpec): bigint | undefined {
  const most = spec.domain.memory?.maxGuest;
  if (most === undefined) return undefined;
  const bytes = quantityBytes('spec.domain.memory.maxGuest', most);
  return bytes > memoryBytes(spec) ? bytes : undefined;
}

/** Size of the huge pages that back the guest's memory; undefined for ordinary pages. */
export function hugepageBytes(spec: VmiSpec): bigint | undefined {
  const size = spec.domain.memory?.hugepages?.pageSize;
  if (!size) return undefined;
  const field = 'spec.domain.memory.hugepages.pageSize';
  const bytes = quantityBytes(field, size);
  if (bytes <= 0n || memoryBytes(spec) % bytes !== 0n) {
    throw new ConversionError(field, `the memory of the guest is not a multiple of ${size}`);
  }
  return bytes;
}

/** A quantity in whole units, with the name of its field in the error. */
export function quantityBytes(field: string, quantity: string | number): bigint {
  try {
    return quantityValue(quantity);
  } catch (error) {
    throw new ConversionError(field, (error as Error).message);
  }
}

/**
 * Under TCG a host model means nothing: the guest gets all that the emulator can do, because guests of today refuse to
 * start on less (x86-64-v2 and later).
 */
export function cpuModel(spec: VmiSpec, accelerator: 'kvm' | 'tcg'): CpuModel {
  const { cpu } = spec.domain;
  const { sockets, ...socket } = cpuTopology(spec);
  const topology = { sockets: Math.max(sockets, cpu?.maxSockets ?? 0), ...socket };
  const features = (cpu?.features ?? []).map(({ name, policy }) => ({ name, policy: policy ?? 'require' }));
  const named = cpu?.model || 'host-model';
  const check = accelerator === 'tcg' ? ('none' as const) : undefined;
  if (named === 'host-model' || named === 'host-passthrough') {
    const mode = accelerator === 'kvm' ? named : 'maximum';
    return { mode, check, model: undefined, topology, features };
  }
  // libvirt's models of Skylake and around hold MPX, which no QEMU of today has.
  const mpx = features.some(({ name }) => name === 'mpx') ? [] : [{ name: 'mpx', policy: 'disable' }];
  return { mode: 'custom', check, model: named, topology, features: [...features, ...mpx] };
}
