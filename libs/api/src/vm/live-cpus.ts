import { cpuTopology } from '../guest-size.ts';
import { isRunning } from '../phases.ts';
import { milliQuantity, quantityMillis } from '../quantity.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { withGrownResource } from './grown-resources.ts';

/**
 * Whether a running instance can be given the sockets of a template: more than the guest has, or those that it is still
 * waiting for, up to the number that it was started for. Cores and threads wait for a restart, and then so does all of it;
 * and so it does where an interface has a queue for each CPU. A pod is resized for a running guest alone: one that is still
 * starting would get CPUs that its pod was not made for, so it follows once it runs.
 * @param template with its defaults
 */
export function socketsFollow(vmi: VirtualMachineInstance, template: VirtualMachineInstanceSpec): boolean {
  const wanted = cpuTopology(template);
  const given = cpuTopology(vmi.spec);
  const { cpu, devices } = template.domain;
  const guest = vmi.status?.currentCPUTopology?.sockets ?? given.sockets;
  if (wanted.sockets !== given.sockets && !isRunning(vmi)) return false;
  return (
    (isTopology(cpu) || wanted.sockets <= given.sockets) &&
    wanted.cores === given.cores &&
    wanted.threads === given.threads &&
    wanted.sockets >= guest &&
    wanted.sockets <= Math.max(given.sockets, vmi.spec.domain.cpu?.maxSockets ?? 0) &&
    (wanted.sockets === given.sockets || !devices.networkInterfaceMultiqueue)
  );
}

export function socketsDiffer(vmi: VirtualMachineInstance, template: VirtualMachineInstanceSpec): boolean {
  return cpuTopology(vmi.spec).sockets !== cpuTopology(template).sockets;
}

/** A spec without the number of its CPUs, for two of which the rest is to be compared. */
export function withoutSockets(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { cpu, ...domain } = spec.domain;
  const { sockets: _s, cores: _c, threads: _t, ...fixed } = cpu ?? {};
  return { ...spec, domain: { ...domain, cpu: fixed } };
}

/** The spec with the sockets of the template, and CPUs that were asked for explicitly grown by as many as come. */
export function withSockets(
  spec: VirtualMachineInstanceSpec,
  template: VirtualMachineInstanceSpec,
): VirtualMachineInstanceSpec {
  const { sockets, cores, threads } = cpuTopology(spec);
  const wanted = cpuTopology(template).sockets;
  if (wanted === sockets) return spec;
  const millis = BigInt((wanted - sockets) * cores * threads) * 1000n;
  const domain = withGrownResource(spec.domain, 'cpu', (asked) => milliQuantity(quantityMillis(asked) + millis));
  return { ...spec, domain: { ...domain, cpu: { ...domain.cpu, sockets: wanted } } };
}

/** Whether the topology is given, and not left to what is asked of the node. */
function isTopology(cpu: VirtualMachineInstanceSpec['domain']['cpu']): boolean {
  return Boolean(cpu?.sockets || cpu?.cores || cpu?.threads);
}
