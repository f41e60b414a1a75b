import type { ClusterConfig } from '../config.ts';
import { cpuTopology, MAX_VCPUS, vcpus } from '../guest-size.ts';
import { isQuantity, quantityMillis } from '../quantity.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';
import { CPU_FEATURE_POLICIES, IO_THREADS_POLICIES } from '../words.ts';
import type { Report } from './report.ts';

const REALTIME_MASK = /^\^?\d+(-\d+)?(,\^?\d+(-\d+)?)*$/;

export function validateCpu(spec: VirtualMachineInstanceSpec, config: ClusterConfig, at: string, report: Report): void {
  const { cpu } = spec.domain;
  const path = `${at}.domain.cpu`;
  for (const name of ['sockets', 'cores', 'threads', 'maxSockets'] as const) {
    report.notBelow(`${path}.${name}`, cpu?.[name], 0);
  }
  const count = vcpus(spec);
  if (count > MAX_VCPUS) report.invalid(path, `makes ${count} virtual CPUs; at most ${MAX_VCPUS} are possible`);
  const { sockets, cores, threads } = cpuTopology(spec);
  const { maxSockets } = cpu ?? {};
  const most = maxSockets || config.liveUpdate.maxCpuSockets;
  if (most && sockets > most) {
    const whose = maxSockets ? 'maxSockets' : 'liveUpdateConfiguration.maxCpuSockets of the cluster';
    report.invalid(`${path}.sockets`, `is ${sockets}, above ${whose}, which is ${most}`);
  }
  const possible = cores * threads * (maxSockets ?? 0);
  if (count <= MAX_VCPUS && possible > MAX_VCPUS) {
    report.invalid(`${path}.maxSockets`, `makes ${possible} virtual CPUs; at most ${MAX_VCPUS} are possible`);
  }
  cpu?.features?.forEach((feature, index) => {
    report.oneOf(`${path}.features[${index}].policy`, feature.policy, CPU_FEATURE_POLICIES);
    if (!feature.name) report.required(`${path}.features[${index}].name`, 'is missing');
  });
  validatePinning(spec, at, report);
  validateIoThreads(spec, `${at}.domain`, report);
}

/** CPUs of the node that belong to one guest, and what is only possible with them. */
function validatePinning(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { cpu, memory } = spec.domain;
  const path = `${at}.domain.cpu`;
  const needs = `needs ${path}.dedicatedCpuPlacement to be true`;
  const numa = cpu?.numa?.guestMappingPassthrough;
  if (cpu?.dedicatedCpuPlacement) dedicated(spec, at, report);
  else {
    if (cpu?.isolateEmulatorThread) report.invalid(`${path}.isolateEmulatorThread`, needs);
    if (numa) report.invalid(`${path}.numa.guestMappingPassthrough`, needs);
    if (cpu?.realtime) report.required(`${path}.dedicatedCpuPlacement`, `must be true for ${path}.realtime`);
  }
  if (numa && !memory?.hugepages) {
    report.required(`${at}.domain.memory.hugepages`, `must be set for ${path}.numa.guestMappingPassthrough`);
  }
  if (cpu?.realtime && !numa) {
    report.required(`${path}.numa.guestMappingPassthrough`, `must be set for ${path}.realtime`);
  }
  const mask = cpu?.realtime?.mask;
  if (mask && !REALTIME_MASK.test(mask)) {
    report.invalid(`${path}.realtime.mask`, `is "${mask}"; it must be a list of CPUs like 0-3,^1`);
  }
}

function dedicated(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { cpu, resources } = spec.domain;
  const path = `${at}.domain.resources`;
  const [request, limit] = [resources?.requests?.['cpu'], resources?.limits?.['cpu']];
  if ((cpu?.threads ?? 1) > 2) {
    report.invalid(`${at}.domain.cpu.threads`, `is ${cpu?.threads}; with dedicated CPUs at most 2 are possible`);
  }
  if (request === undefined && limit === undefined) {
    if (!cpu?.cores && !cpu?.sockets && !cpu?.threads) {
      report.required(`${at}.domain.cpu.cores`, `or ${path}.limits.cpu must be set for dedicated CPUs`);
    }
    return;
  }
  if (![request, limit].every((value) => value === undefined || isQuantity(value))) return;
  const [asked, most] = [request ?? limit ?? 0, limit ?? request ?? 0];
  if (quantityMillis(asked) !== quantityMillis(most)) {
    report.invalid(`${path}.requests.cpu`, `is ${asked}; with dedicated CPUs it must equal the limit of ${most}`);
  }
  if (quantityMillis(most) !== BigInt(vcpus(spec)) * 1000n) {
    report.invalid(
      `${path}.${limit === undefined ? 'requests' : 'limits'}.cpu`,
      `is ${most}; with dedicated CPUs it must be the number of virtual CPUs, ${vcpus(spec)}`,
    );
  }
}

function validateIoThreads({ domain }: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { ioThreadsPolicy, ioThreads } = domain;
  report.oneOf(`${at}.ioThreadsPolicy`, ioThreadsPolicy, IO_THREADS_POLICIES);
  const count = ioThreads?.supplementalPoolThreadCount;
  const field = `${at}.ioThreads.supplementalPoolThreadCount`;
  if (ioThreadsPolicy === 'supplementalPool') {
    if (count === undefined)
      report.required(field, 'is missing: the policy supplementalPool needs a number of threads');
    else report.notBelow(field, count, 1);
  } else if (count !== undefined) {
    report.invalid(field, `is set, but ${at}.ioThreadsPolicy is not supplementalPool`);
  }
}
