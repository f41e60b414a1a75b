import type { ClusterConfig } from '../config.ts';
import { guestMemory } from '../guest-size.ts';
import { memoryRoomProblem } from '../memory-room.ts';
import { own } from '../own.ts';
import { compareQuantities, isQuantity, quantityValue } from '../quantity.ts';
import type { Quantity, VirtualMachineInstanceSpec } from '../types.ts';
import { REBOOT_POLICIES } from '../words.ts';
import { validateCpu } from './cpu.ts';
import { isLabelKey } from './names.ts';
import type { Report } from './report.ts';

const MEGABYTE = 1_000_000n;
/** Kubernetes counts to twice as much; the rest is room for what running a guest takes. */
const LARGEST = '4Ei';
const MEM_LOCKS = ['Required', 'NotRequired'];

/** Memory, CPU and what is asked of the node for them. */
export function validateResources(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
  at: string,
  report: Report,
): void {
  const { resources, memory } = spec.domain;
  const path = `${at}.domain.resources`;
  let parsable = true;
  for (const kind of ['requests', 'limits'] as const) {
    for (const [name, value] of Object.entries(resources?.[kind] ?? {})) {
      const field = `${path}.${kind}.${name}`;
      if (!isResourceName(name))
        report.invalid(field, `"${name}" is not the name of a resource, such as cpu or example.com/nic`);
      parsable = isAmount(field, value, report) && parsable;
    }
  }
  for (const name of ['guest', 'maxGuest'] as const) {
    if (memory?.[name] !== undefined)
      parsable = isAmount(`${at}.domain.memory.${name}`, memory[name], report) && parsable;
  }
  const added = memory?.reservedOverhead?.addedOverhead;
  if (added !== undefined) isAmount(`${at}.domain.memory.reservedOverhead.addedOverhead`, added, report);
  report.oneOf(`${at}.domain.memory.reservedOverhead.memLock`, memory?.reservedOverhead?.memLock, MEM_LOCKS);
  if (parsable) {
    requestsWithinLimits(resources, path, report);
    validateMemory(spec, at, report);
  }
  validateCpu(spec, config, at, report);
  validateMachine(spec, config, at, report);
}

const STANDARD_RESOURCE = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/** What a container may ask for: one of Kubernetes' own resources, or one with the domain of who offers it. */
function isResourceName(name: string): boolean {
  return isLabelKey(name) && (name.includes('/') || STANDARD_RESOURCE.test(name));
}

function isAmount(field: string, value: Quantity, report: Report): boolean {
  if (!isQuantity(value)) {
    report.invalid(field, `is "${value}", which is not a quantity like 128Mi, 2G or 500m`);
    return false;
  }
  if (compareQuantities(value, 0) < 0) report.invalid(field, `is ${value}; it must not be negative`);
  else if (compareQuantities(value, LARGEST) > 0) report.invalid(field, `is ${value}; at most ${LARGEST} are possible`);
  else return true;
  return false;
}

function requestsWithinLimits(
  resources: VirtualMachineInstanceSpec['domain']['resources'],
  path: string,
  report: Report,
): void {
  for (const [name, limit] of Object.entries(resources?.limits ?? {})) {
    const request = own(resources?.requests, name);
    if (request !== undefined && compareQuantities(request, limit) > 0) {
      report.invalid(`${path}.requests.${name}`, `is ${request}, above the limit of ${limit}`);
    }
  }
}

function validateMemory(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { memory, resources } = spec.domain;
  const domain = `${at}.domain`;
  const guest = guestMemory(spec);
  if (guest === undefined) {
    report.required(
      `${domain}.memory.guest`,
      `is missing: no memory requested, at least one of ${domain}.memory.guest, ${domain}.resources.requests.memory or ${domain}.resources.limits.memory must be set`,
    );
    return;
  }
  const request = resources?.requests?.['memory'];
  const limit = resources?.limits?.['memory'];
  if (request !== undefined && quantityValue(request) < MEGABYTE) {
    report.invalid(`${domain}.resources.requests.memory`, `is ${request}; it must be at least 1M`);
  }
  validateHugepages(spec, guest, domain, report);
  const room = memory?.maxGuest === undefined ? undefined : memoryRoomProblem(spec, memory.maxGuest);
  if (room !== undefined) report.invalid(`${domain}.memory.${room.field}`, room.message);
  if (memory?.guest === undefined) return;
  if (guest < MEGABYTE) report.invalid(`${domain}.memory.guest`, `is ${memory.guest}; it must be at least 1M`);
  if (limit !== undefined && compareQuantities(memory.guest, limit) > 0) {
    report.invalid(`${domain}.memory.guest`, `is ${memory.guest}, above the memory limit of ${limit}`);
  }
}

/** Memory in huge pages is a whole number of them. */
function validateHugepages(
  { domain: { memory, resources } }: VirtualMachineInstanceSpec,
  guest: bigint,
  domain: string,
  report: Report,
): void {
  if (!memory?.hugepages) return;
  const field = `${domain}.memory.hugepages.pageSize`;
  const { pageSize } = memory.hugepages;
  if (!pageSize) return report.required(field, 'is missing; name a size that the nodes have, such as 2Mi or 1Gi');
  if (!isQuantity(pageSize) || quantityValue(pageSize) <= 0n) {
    return report.invalid(field, `is "${pageSize}", which is not a size like 2Mi or 1Gi`);
  }
  const request = resources?.requests?.['memory'];
  const sizes: [string, bigint][] = [[`${domain}.memory.guest`, guest]];
  if (request !== undefined) sizes.push([`${domain}.resources.requests.memory`, quantityValue(request)]);
  for (const [path, size] of sizes) {
    if (size < quantityValue(pageSize)) report.invalid(path, `is less than one huge page of ${pageSize}`);
    else if (size % quantityValue(pageSize) !== 0n)
      report.invalid(path, `is no multiple of the huge page size ${pageSize}`);
  }
}

function validateMachine(
  { domain }: VirtualMachineInstanceSpec,
  config: ClusterConfig,
  at: string,
  report: Report,
): void {
  const type = domain.machine?.type;
  if (type && !config.emulatedMachines.some((pattern) => matches(pattern, type))) {
    const allowed = config.emulatedMachines.join(', ');
    report.invalid(`${at}.domain.machine.type`, `is not supported: ${type} (allowed values: ${allowed})`);
  }
  report.oneOf(`${at}.domain.rebootPolicy`, domain.rebootPolicy, REBOOT_POLICIES);
}

/** A pattern with `*` for anything. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  const last = rest.at(-1) ?? '';
  return text.length - from >= last.length && text.endsWith(last);
}
