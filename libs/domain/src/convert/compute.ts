import { ConversionError } from '../errors.ts';
import type { CpuModel } from '../model.ts';
import { quantityBytes } from '../quantity.ts';
import type { DomainSpec } from '../vmi.ts';

/** Bytes of guest memory: memory.guest, else the memory request, else the memory limit. */
export function memoryBytes(domain: DomainSpec): bigint {
  const candidates: [string, unknown][] = [
    ['spec.domain.memory.guest', domain.memory?.guest],
    ['spec.domain.resources.requests.memory', domain.resources?.requests?.['memory']],
    ['spec.domain.resources.limits.memory', domain.resources?.limits?.['memory']],
  ];
  const found = candidates.find(([, value]) => value !== undefined);
  if (found === undefined) throw new ConversionError('spec.domain.memory.guest', 'the guest has no memory size');
  const bytes = quantityBytes(found[0], String(found[1]));
  if (bytes <= 0n) throw new ConversionError(found[0], 'the memory size must be above zero');
  return bytes;
}

/**
 * Without a topology the guest gets one core a requested CPU. Under TCG a host model means nothing: the guest gets all
 * that the emulator can do, because guests of today refuse to start on less (x86-64-v2 and later).
 */
export function cpuModel(domain: DomainSpec, accelerator: 'kvm' | 'tcg'): CpuModel {
  const cpu = domain.cpu ?? {};
  const topology = { sockets: count(cpu.sockets), cores: count(cpu.cores), threads: count(cpu.threads) };
  if (cpu.sockets === undefined && cpu.cores === undefined && cpu.threads === undefined) {
    topology.sockets = requestedCpus(domain);
  }
  const features = (cpu.features ?? []).map(({ name, policy }) => ({ name, policy: policy ?? 'require' }));
  const named = cpu.model ?? 'host-model';
  if (named === 'host-model' || named === 'host-passthrough') {
    const mode = accelerator === 'kvm' ? named : 'maximum';
    return { mode, model: undefined, topology, features };
  }
  return { mode: 'custom', model: named, topology, features };
}

function count(value: number | undefined): number {
  return value === undefined || value < 1 ? 1 : value;
}

/** CPUs of the limit, else of the request, rounded up. */
function requestedCpus(domain: DomainSpec): number {
  for (const list of ['limits', 'requests'] as const) {
    const value = domain.resources?.[list]?.['cpu'];
    if (value !== undefined)
      return Math.max(1, Number(quantityBytes(`spec.domain.resources.${list}.cpu`, String(value))));
  }
  return 1;
}
