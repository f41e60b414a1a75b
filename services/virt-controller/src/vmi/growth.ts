import {
  type ClusterConfig,
  COMPUTE_CONTAINER,
  type Condition,
  cpuTopology,
  findCondition,
  isRunning,
  type NewCondition,
  type Pod,
  type PodGrowth,
  podGrowth,
  podResizePending,
  REASONS,
  removeCondition,
  setCondition,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import type { Trouble } from './image-pull.ts';
import { isAlive } from './pods.ts';

/** Whether a running guest is to have more CPUs than it has. */
export function wantsCpus({ spec, status }: VirtualMachineInstance): boolean {
  const has = status?.currentCPUTopology;
  return has !== undefined && cpuTopology(spec).sockets > (has.sockets ?? 1);
}

/**
 * How far the launcher pod has come for a guest that grows; undefined while there is nothing to do for it. A size that the
 * kubelet has not granted is looked at until it is taken back.
 */
export function growthOf(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  config: ClusterConfig,
): PodGrowth | undefined {
  if (!pod || !isAlive(pod) || !isRunning(vmi) || vmi.metadata.deletionTimestamp) return undefined;
  return wantsCpus(vmi) || podResizePending(pod) ? podGrowth(vmi, pod, config) : undefined;
}

/** The body of the patch of a pod's subresource `resize`; undefined when the pod is not to be changed. */
export function resizePatch(growth: PodGrowth | undefined): object | undefined {
  if (growth?.kind !== 'resize') return undefined;
  return { spec: { containers: [{ name: COMPUTE_CONTAINER, resources: growth.resources }] } };
}

/** HotVCPUChange as long as a guest has fewer CPUs than its spec says. @param trouble what the API server says */
export function withGrowth(
  before: Condition[],
  vmi: VirtualMachineInstance,
  growth: PodGrowth | undefined,
  trouble: Trouble | undefined,
  now: string,
): Condition[] {
  const type = VMI_CONDITIONS.hotVcpuChange;
  if (!wantsCpus(vmi)) return removeCondition(before, type);
  if (growth === undefined) return before;
  const known = findCondition({ status: { conditions: before } }, type);
  // What libvirt had against it is virt-handler's to say, and to take back.
  if (growth.kind === 'done' && known?.reason === REASONS.hotPlugFailed) return before;
  return setCondition(before, { type, messageChange: 'update', ...said(growth, trouble) }, now);
}

function said(growth: PodGrowth, trouble: Trouble | undefined): Omit<NewCondition, 'type'> {
  if (trouble) return { status: 'False', ...trouble };
  switch (growth.kind) {
    case 'resize':
    case 'waiting':
      return { status: 'True', reason: REASONS.podResizing, message: growth.message };
    case 'deferred':
      return { status: 'True', reason: REASONS.podResizeDeferred, message: growth.message };
    case 'infeasible':
      return { status: 'False', reason: REASONS.podResizeInfeasible, message: growth.message };
    case 'done':
      return { status: 'True', reason: REASONS.podResized, message: 'the launcher pod has grown; the guest follows' };
  }
}
