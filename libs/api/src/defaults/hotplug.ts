import type { ClusterConfig } from '../config.ts';
import { cpuTopology, guestMemory, MAX_VCPUS } from '../guest-size.ts';
import { memoryRoomProblem } from '../memory-room.ts';
import { binaryQuantity, quantityValue } from '../quantity.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';

/** Where the machine itself does not say how far, no further than the 40 bits of an address that an ordinary virtual CPU has. */
const MOST_MEMORY = 512n * 1024n ** 3n;

/**
 * The spec of an instance with the sockets and the memory up to which it may grow while it runs. An instance without a
 * VirtualMachine cannot be changed, and under the rollout strategy Stage nothing grows: then it stays as it is.
 */
export function withRoomToGrow(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  if (config.vmRolloutStrategy !== 'LiveUpdate') return spec;
  return withMaxGuest(withMaxSockets(spec, config), config);
}

function withMaxSockets(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  if (spec.domain.cpu?.maxSockets) return spec;
  const { sockets, cores, threads } = cpuTopology(spec);
  const { maxCpuSockets, maxHotplugRatio } = config.liveUpdate;
  const possible = Math.floor(MAX_VCPUS / (cores * threads));
  const maxSockets = Math.max(sockets, Math.min(maxCpuSockets || sockets * maxHotplugRatio, possible));
  return { ...spec, domain: { ...spec.domain, cpu: { ...spec.domain.cpu, maxSockets } } };
}

/** A guest that cannot grow is given no maximum, rather than refused for one that it did not ask for. */
function withMaxGuest(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  const guest = guestMemory(spec);
  if (guest === undefined || spec.domain.memory?.maxGuest !== undefined) return spec;
  const { maxGuest: set, maxHotplugRatio } = config.liveUpdate;
  const multiple = guest * BigInt(Math.floor(maxHotplugRatio));
  const wanted = set === undefined ? multiple : quantityValue(set);
  const most = wanted < MOST_MEMORY ? wanted : MOST_MEMORY;
  const maxGuest = binaryQuantity(most);
  if (most <= guest || memoryRoomProblem(spec, maxGuest) !== undefined) return spec;
  return { ...spec, domain: { ...spec.domain, memory: { ...spec.domain.memory, maxGuest } } };
}
