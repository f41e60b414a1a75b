import {
  type ClusterConfig,
  COMPUTE_CONTAINER,
  type Condition,
  cpuTopology,
  findCondition,
  guestMemory,
  isRunning,
  memoryOverhead,
  type NewCondition,
  type Pod,
  type PodGrowth,
  podGrowth,
  podResizePending,
  quantityValue,
  REASONS,
  removeCondition,
  setCondition,
  type VirtualMachineInstance,
  type VirtualMachineInstanceStatus,
  VMI_CONDITIONS,
} from '@yagura/api';
import type { Trouble } from './image-pull.ts';
import { isAlive } from './pods.ts';

/** The sizes of a running guest that may grow: the condition that tells how, and whether the guest lacks some of it. */
const SIZES: readonly { type: string; isMissing: (vmi: VirtualMachineInstance) => boolean }[] = [
  { type: VMI_CONDITIONS.hotVcpuChange, isMissing: wantsCpus },
  { type: VMI_CONDITIONS.hotMemoryChange, isMissing: wantsMemory },
];

function wantsCpus({ spec, status }: VirtualMachineInstance): boolean {
  const has = status?.currentCPUTopology;
  return has !== undefined && cpuTopology(spec).sockets > (has.sockets ?? 1);
}

/** Whether libvirt has not been asked for all of the memory; what the guest takes of it is virt-handler's to tell. */
function wantsMemory({ spec, status }: VirtualMachineInstance): boolean {
  const has = status?.memory?.guestRequested;
  return (
    spec.domain.memory?.maxGuest !== undefined && has !== undefined && (guestMemory(spec) ?? 0n) > quantityValue(has)
  );
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
  if (!isGrowable(vmi, pod)) return undefined;
  const grows = SIZES.some(({ isMissing }) => isMissing(vmi));
  return grows || podResizePending(pod) ? podGrowth(vmi, pod, config) : undefined;
}

function isGrowable(vmi: VirtualMachineInstance, pod: Pod | undefined): pod is Pod {
  return pod !== undefined && isAlive(pod) && isRunning(vmi) && !vmi.metadata.deletionTimestamp;
}

/** The body of the patch of a pod's subresource `resize`; undefined when the pod is not to be changed. */
export function resizePatch(growth: PodGrowth | undefined): object | undefined {
  if (growth?.kind !== 'resize') return undefined;
  return { spec: { containers: [{ name: COMPUTE_CONTAINER, resources: growth.resources }] } };
}

/** The conditions of what a guest has less of than its spec says. @param trouble what the API server says */
export function withGrowth(
  before: Condition[],
  vmi: VirtualMachineInstance,
  growth: PodGrowth | undefined,
  trouble: Trouble | undefined,
  now: string,
): Condition[] {
  return SIZES.reduce((conditions, { type, isMissing }) => {
    const known = findCondition({ status: { conditions } }, type)?.reason;
    // What libvirt has against it, and what the guest has to do, is virt-handler's to say, and to take back.
    if (!isMissing(vmi)) return known === REASONS.waitingForGuest ? conditions : removeCondition(conditions, type);
    if (growth === undefined || (growth.kind === 'done' && known === REASONS.hotPlugFailed)) return conditions;
    return setCondition(conditions, { type, messageChange: 'update', ...said(growth, trouble) }, now);
  }, before);
}

/**
 * Bytes beyond the guest's memory that a running guest's pod has been given by now, as CPUs and page tables have come; undefined
 * while the pod is not as large as it has to be.
 */
export function grantedOverhead(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  config: ClusterConfig,
): bigint | undefined {
  if (!isGrowable(vmi, pod) || podGrowth(vmi, pod, config).kind !== 'done') return undefined;
  return memoryOverhead(vmi, config);
}

/** A pod never becomes smaller, so that its overhead only grows. */
export function withOverhead(
  { memory }: VirtualMachineInstanceStatus,
  granted: bigint | undefined,
): Pick<VirtualMachineInstanceStatus, 'memory'> {
  const known = memory?.memoryOverhead;
  if (granted === undefined || known === undefined || granted <= quantityValue(known)) return {};
  return { memory: { ...memory, memoryOverhead: String(granted) } };
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
