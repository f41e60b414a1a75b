import { guestMemory } from './guest-size.ts';
import { binaryQuantity, quantityValue } from './quantity.ts';
import type { Quantity, VirtualMachineInstanceSpec } from './types.ts';

const GIB = 1024n ** 3n;

/** Bytes of the blocks in which memory is plugged in: the smallest that virtio-mem has on x86. */
export const MEMORY_BLOCK = 2n * 1024n ** 2n;

/** A smaller guest would lose too much of what it has: see docs/decisions/0098-live-memory.md. */
const LEAST_GUEST = GIB;

export interface MemoryRoomProblem {
  /** Below `domain.memory`. */
  field: 'guest' | 'maxGuest';
  /** For people. */
  message: string;
}

/** Why a guest of this spec cannot be given memory up to `maxGuest` while it runs; undefined when it can. */
export function memoryRoomProblem(spec: VirtualMachineInstanceSpec, maxGuest: Quantity): MemoryRoomProblem | undefined {
  const guest = guestMemory(spec);
  const most = quantityValue(maxGuest);
  if (guest === undefined || most === guest) return undefined;
  const [has, may] = [binaryQuantity(guest), String(maxGuest)];
  const wrong = (message: string, field: MemoryRoomProblem['field'] = 'maxGuest') => ({ field, message });
  if (most < guest) return wrong(`is ${may}, below the guest memory of ${has}`);
  if (guest < LEAST_GUEST) {
    return wrong(
      `is ${may}: only a guest of at least ${binaryQuantity(LEAST_GUEST)} can grow, and this one has ${has}`,
    );
  }
  const block = binaryQuantity(MEMORY_BLOCK);
  if (guest % MEMORY_BLOCK !== 0n) return wrong(`is ${has}; a guest that can grow has a multiple of ${block}`, 'guest');
  if (most % MEMORY_BLOCK !== 0n) return wrong(`is ${may}; it must be a multiple of ${block}`);
  const obstacle = obstacleIn(spec);
  return obstacle === undefined ? undefined : wrong(`is ${may}, which is not possible with ${obstacle}`);
}

/** What of a spec excludes memory that is plugged in later. */
function obstacleIn({ architecture, domain }: VirtualMachineInstanceSpec): string | undefined {
  const { cpu, devices, memory } = domain;
  if (architecture && architecture !== 'amd64') return `the architecture ${architecture}`;
  if (memory?.hugepages) return 'memory.hugepages';
  if (cpu?.dedicatedCpuPlacement) return 'cpu.dedicatedCpuPlacement';
  if (cpu?.numa?.guestMappingPassthrough) return 'cpu.numa.guestMappingPassthrough';
  if (cpu?.realtime) return 'cpu.realtime';
  if (domain.launchSecurity) return 'launchSecurity';
  return devices.disableHotplug ? 'devices.disableHotplug' : undefined;
}
