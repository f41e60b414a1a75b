import type { ClusterConfig } from '../config.ts';
import { guestMemory, hugepageSize, vcpus } from '../guest-size.ts';
import type { Container, ResourceRequirements } from '../kubernetes.ts';
import { DEVICES } from '../names.ts';
import { binaryQuantity, compareQuantities, milliQuantity, quantityValue } from '../quantity.ts';
import type { Quantity, VirtualMachineInstance } from '../types.ts';
import { memoryOverhead } from './overhead.ts';

/** What overlays and generated images are granted beyond what the user asks for. */
const EPHEMERAL_STORAGE_BYTES = 50_000_000n;
const KIB = 1024n;
const DEFAULT_CPU_REQUEST = '100m';

/** Requests and limits of the compute container: what the user says about the guest, and what running it takes. */
export function computeResources(vmi: VirtualMachineInstance, config: ClusterConfig): ResourceRequirements {
  const given = vmi.spec.domain.resources ?? {};
  const overhead = given.overcommitGuestOverhead ? 0n : memoryOverhead(vmi, config);
  const pages = hugepages(vmi);
  const requests: Record<string, Quantity> = {
    ...given.requests,
    ...pages,
    cpu: given.requests?.['cpu'] ?? cpuRequest(vmi, config),
    memory: memoryText(memoryRequest(vmi, config) + overhead),
    'ephemeral-storage': ephemeralStorage(given.requests?.['ephemeral-storage']),
  };
  const limits: Record<string, Quantity> = { ...given.limits, ...pages, ...deviceLimits(vmi, config) };
  if (given.limits?.['memory'] !== undefined)
    limits['memory'] = memoryText(beyondHugepages(vmi, quantityValue(given.limits['memory'])) + overhead);
  if (given.limits?.['ephemeral-storage'] !== undefined) {
    limits['ephemeral-storage'] = ephemeralStorage(given.limits['ephemeral-storage']);
  }
  return { requests, limits };
}

/** Whether the container has to itself what it may use at most, as QoS class Guaranteed wants it. */
export function isGuaranteed({ resources = {} }: Container): boolean {
  return (['cpu', 'memory'] as const).every((name) => {
    const [request, limit] = [resources.requests?.[name], resources.limits?.[name]];
    return request !== undefined && limit !== undefined && compareQuantities(request, limit) === 0;
  });
}

/** A request that the cluster sets for all guests that ask for none stands in for the one by allocation ratio. */
function cpuRequest(vmi: VirtualMachineInstance, config: ClusterConfig): Quantity {
  const limit = vmi.spec.domain.resources?.limits?.['cpu'];
  if (limit === undefined && compareQuantities(config.cpuRequest, DEFAULT_CPU_REQUEST) !== 0) return config.cpuRequest;
  return limit ?? milliQuantity(BigInt(Math.ceil((vcpus(vmi.spec) * 1000) / config.cpuAllocationRatio)));
}

/** An explicit request is the user's own overcommit; without one the cluster's applies. */
function memoryRequest(vmi: VirtualMachineInstance, config: ClusterConfig): bigint {
  const explicit = vmi.spec.domain.resources?.requests?.['memory'];
  if (explicit !== undefined) return beyondHugepages(vmi, quantityValue(explicit));
  if (hugepageSize(vmi.spec) !== undefined) return 0n;
  return ((guestMemory(vmi.spec) ?? 0n) * 100n) / BigInt(config.memoryOvercommit);
}

/** Memory of the guest is counted once: as huge pages, or as ordinary memory. */
function hugepages(vmi: VirtualMachineInstance): Record<string, Quantity> {
  const size = hugepageSize(vmi.spec);
  return size === undefined ? {} : { [`hugepages-${size}`]: binaryQuantity(guestMemory(vmi.spec) ?? 0n) };
}

function beyondHugepages(vmi: VirtualMachineInstance, bytes: bigint): bigint {
  if (hugepageSize(vmi.spec) === undefined) return bytes;
  const guest = guestMemory(vmi.spec) ?? 0n;
  return bytes > guest ? bytes - guest : 0n;
}

function ephemeralStorage(asked: Quantity | undefined): string {
  return milliQuantity(((asked === undefined ? 0n : quantityValue(asked)) + EPHEMERAL_STORAGE_BYTES) * 1000n);
}

/** Devices of the node that the guest needs; the device plugins of virt-handler offer them. */
function deviceLimits(vmi: VirtualMachineInstance, config: ClusterConfig): Record<string, Quantity> {
  const interfaces = (vmi.spec.domain.devices.interfaces ?? []).filter((nic) => nic.state !== 'absent');
  const virtio = interfaces.some((nic) => !nic.model || nic.model === 'virtio');
  return {
    ...(config.useEmulation ? {} : { [DEVICES.kvm]: '1' }),
    ...(interfaces.length > 0 ? { [DEVICES.tun]: '1' } : {}),
    ...(virtio && !config.useEmulation ? { [DEVICES.vhostNet]: '1' } : {}),
  };
}

// Whole KiB read better, and rounding up never asks for less.
function memoryText(bytes: bigint): string {
  return binaryQuantity(((bytes + KIB - 1n) / KIB) * KIB);
}
