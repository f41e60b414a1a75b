import { guestMemory } from '../guest-size.ts';
import { MEMORY_BLOCK } from '../memory-room.ts';
import { isRunning } from '../phases.ts';
import { binaryQuantity, quantityValue } from '../quantity.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { withGrownResource } from './grown-resources.ts';

/**
 * Why a running instance cannot be given the memory of a template, in words that end a message; undefined when it can, or has
 * it. It gets more than libvirt has been asked for, up to the number that the guest was started for; what it waits for can be
 * taken back. As for CPUs, an instance that is still starting follows once it runs.
 * @param template with its defaults
 */
export function memoryObstacle(vmi: VirtualMachineInstance, template: VirtualMachineInstanceSpec): string | undefined {
  const [wanted, given] = [guestMemory(template), guestMemory(vmi.spec)];
  if (wanted === given) return undefined;
  if (wanted === undefined || given === undefined || template.domain.memory?.guest === undefined) {
    return 'it is not given';
  }
  if (!isRunning(vmi)) return 'the guest does not run yet';
  const requested = vmi.status?.memory?.guestRequested;
  if (wanted < (requested === undefined ? given : quantityValue(requested))) return 'a running guest gives none back';
  const { maxGuest } = vmi.spec.domain.memory ?? {};
  if (maxGuest === undefined || quantityValue(maxGuest) <= given) {
    if (wanted > given) return 'the guest was started without room for more';
  } else if (wanted > quantityValue(maxGuest)) return `the guest was started for at most ${maxGuest}`;
  return wanted % MEMORY_BLOCK === 0n ? undefined : `it is no multiple of ${binaryQuantity(MEMORY_BLOCK)}`;
}

export function memoryDiffers(vmi: VirtualMachineInstance, template: VirtualMachineInstanceSpec): boolean {
  return guestMemory(vmi.spec) !== guestMemory(template);
}

/** A spec without the size of its memory, for two of which the rest is to be compared. */
export function withoutMemory(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { guest: _, ...fixed } = spec.domain.memory ?? {};
  return { ...spec, domain: { ...spec.domain, memory: fixed } };
}

/** The spec with the memory of the template, and memory that was asked for explicitly grown by as much as comes. */
export function withMemory(
  spec: VirtualMachineInstanceSpec,
  template: VirtualMachineInstanceSpec,
): VirtualMachineInstanceSpec {
  const [wanted, given] = [guestMemory(template), guestMemory(spec)];
  if (wanted === undefined || given === undefined || wanted === given) return spec;
  const domain = withGrownResource(spec.domain, 'memory', (asked) =>
    binaryQuantity(quantityValue(asked) + wanted - given),
  );
  return { ...spec, domain: { ...domain, memory: { ...domain.memory, guest: binaryQuantity(wanted) } } };
}
