import type { ClusterConfig } from '../config.ts';
import { cpuTopology, MAX_VCPUS } from '../guest-size.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';

/**
 * The spec of an instance with the number of sockets up to which it may grow while it runs. An instance without a
 * VirtualMachine cannot be changed, and under the rollout strategy Stage nothing grows: then it stays as it is.
 */
export function withMaxSockets(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  if (config.vmRolloutStrategy !== 'LiveUpdate' || spec.domain.cpu?.maxSockets) return spec;
  const { sockets, cores, threads } = cpuTopology(spec);
  const { maxCpuSockets, maxHotplugRatio } = config.liveUpdate;
  const possible = Math.floor(MAX_VCPUS / (cores * threads));
  const maxSockets = Math.max(sockets, Math.min(maxCpuSockets || sockets * maxHotplugRatio, possible));
  return { ...spec, domain: { ...spec.domain, cpu: { ...spec.domain.cpu, maxSockets } } };
}
