import type { ClusterConfig } from '../config.ts';
import { guestMemory, vcpus } from '../guest-size.ts';
import { quantityValue } from '../quantity.ts';
import type { VirtualMachineInstance } from '../types.ts';
import { agentProbes } from './probes.ts';

const MIB = 1024n * 1024n;

/**
 * Memory of a launcher pod beyond that of the guest, in MiB. The sum has to hold the peak working set of everything
 * in the pod but guest memory, and no more: what is requested and not used is lost to other pods.
 *
 * Measured with a 128 MiB Linux guest (q35, virtio disk and NIC, display, agent) under TCG: a peak of 144 MiB beyond
 * the guest in the container's cgroup, 63 of them translated code; 133 MiB without that code by proportional share,
 * which is what a launcher alone on its node pays for files that others would share.
 */
export const OVERHEAD_MIB = {
  /** QEMU's own heap, device state and mapped code: 56 resident, 31 of them private. */
  qemu: 56n,
  /** Video memory, which QEMU touches as far as the guest draws. */
  graphics: 16n,
  /** libvirt's session daemon with one domain: 24 to 29 resident. */
  libvirtDaemon: 28n,
  /** The launcher: 32 to 36 private; the rest of it is Node's code, which all launchers of a node share. */
  launcher: 48n,
  /** Stack and state of a virtual CPU's thread, and what KVM keeps for it. */
  vcpu: 3n,
  /** The emulated TPM's own process. */
  tpm: 12n,
  /** A probe through the agent: what the runtime needs to start a process in the container; the program itself is nothing. */
  agentProbe: 16n,
  /** Software emulation only: the buffer of translated code; libs/domain writes the same bound into the domain. */
  tcgCodeBuffer: 64n,
} as const;

/** The guest's page tables: 8 bytes for each 4 KiB page. */
const PAGE_TABLE_DIVISOR = 512n;

/** Bytes requested for the compute container beyond guest memory. */
export function memoryOverhead(vmi: VirtualMachineInstance, config: ClusterConfig): bigint {
  const { devices, memory } = vmi.spec.domain;
  let mib = OVERHEAD_MIB.qemu + OVERHEAD_MIB.libvirtDaemon + OVERHEAD_MIB.launcher;
  mib += OVERHEAD_MIB.vcpu * BigInt(vcpus(vmi.spec));
  if (devices.autoattachGraphicsDevice !== false) mib += OVERHEAD_MIB.graphics;
  if (devices.tpm !== undefined && devices.tpm.enabled !== false) mib += OVERHEAD_MIB.tpm;
  mib += OVERHEAD_MIB.agentProbe * BigInt(agentProbes(vmi));
  if (config.useEmulation) mib += OVERHEAD_MIB.tcgCodeBuffer;
  const fixed = mib * MIB + (guestMemory(vmi.spec) ?? 0n) / PAGE_TABLE_DIVISOR;
  const scaled = (fixed * BigInt(Math.round(config.additionalGuestMemoryOverheadRatio * 1000))) / 1000n;
  return scaled + quantityValue(memory?.reservedOverhead?.addedOverhead ?? 0);
}
