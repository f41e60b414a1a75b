import type { ClusterConfig } from '../config.ts';
import { guestMemory } from '../guest-size.ts';
import { own } from '../own.ts';
import { compareQuantities, isQuantity, quantityValue } from '../quantity.ts';
import type { Quantity, VirtualMachineInstanceSpec } from '../types.ts';
import { CPU_FEATURE_POLICIES } from '../words.ts';
import type { Report } from './report.ts';

const MEGABYTE = 1_000_000n;
const MAX_VCPUS = 512;

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
      parsable = isAmount(`${path}.${kind}.${name}`, value, report) && parsable;
    }
  }
  for (const name of ['guest', 'maxGuest'] as const) {
    if (memory?.[name] !== undefined)
      parsable = isAmount(`${at}.domain.memory.${name}`, memory[name], report) && parsable;
  }
  if (parsable) {
    requestsWithinLimits(resources, path, report);
    validateMemory(spec, at, report);
  }
  validateCpu(spec, config, at, report);
}

function isAmount(field: string, value: Quantity, report: Report): boolean {
  if (!isQuantity(value)) {
    report.invalid(field, `is "${value}", which is not a quantity like 128Mi, 2G or 500m`);
    return false;
  }
  if (compareQuantities(value, 0) >= 0) return true;
  report.invalid(field, `is ${value}; it must not be negative`);
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
  if (memory?.guest === undefined) return;
  if (guest < MEGABYTE) report.invalid(`${domain}.memory.guest`, `is ${memory.guest}; it must be at least 1M`);
  if (limit !== undefined && compareQuantities(memory.guest, limit) > 0) {
    report.invalid(`${domain}.memory.guest`, `is ${memory.guest}, above the memory limit of ${limit}`);
  }
}

function validateCpu(spec: VirtualMachineInstanceSpec, config: ClusterConfig, at: string, report: Report): void {
  const { cpu, machine } = spec.domain;
  const path = `${at}.domain.cpu`;
  const counts = ['sockets', 'cores', 'threads'] as const;
  for (const name of counts) {
    const value = cpu?.[name];
    if (value !== undefined && value < 0) report.invalid(`${path}.${name}`, `is ${value}; it must not be negative`);
  }
  const vcpus = counts.reduce((product, name) => product * (cpu?.[name] || 1), 1);
  if (vcpus > MAX_VCPUS) report.invalid(path, `makes ${vcpus} virtual CPUs; at most ${MAX_VCPUS} are possible`);
  cpu?.features?.forEach((feature, index) => {
    report.oneOf(`${path}.features[${index}].policy`, feature.policy, CPU_FEATURE_POLICIES);
    if (!feature.name) report.required(`${path}.features[${index}].name`, 'is missing');
  });
  if (machine?.type && !config.emulatedMachines.some((pattern) => matches(pattern, machine.type ?? ''))) {
    const allowed = config.emulatedMachines.join(', ');
    report.invalid(`${at}.domain.machine.type`, `"${machine.type}" is not supported: it must match one of ${allowed}`);
  }
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
