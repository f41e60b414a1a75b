import { findCondition } from '../conditions.ts';
import type { ClusterConfig } from '../config.ts';
import type { Condition, ContainerStatus, Pod, ResourceRequirements } from '../kubernetes.ts';
import { COMPUTE_CONTAINER } from '../names.ts';
import { compareQuantities } from '../quantity.ts';
import type { Quantity, VirtualMachineInstance } from '../types.ts';
import { computeResources } from './resources.ts';

/** How far a launcher pod has come on its way to what a grown guest needs. */
export type PodGrowth =
  /** The pod is to be asked for these, by its subresource `resize`. */
  | { kind: 'resize'; resources: PodResources; message: string }
  /** The kubelet is at it. */
  | { kind: 'waiting'; message: string }
  /** The kubelet does it later, when there is room; in its own words. */
  | { kind: 'deferred'; message: string }
  /** It cannot be on this node; in the kubelet's own words. */
  | { kind: 'infeasible'; message: string }
  | { kind: 'done' };

/** Requests and limits of CPU and memory alone: nothing else of a running pod can be changed. */
export type PodResources = Pick<ResourceRequirements, 'requests' | 'limits'>;

const RESIZING = 'the launcher pod is being made larger';
const RESIZABLE = ['cpu', 'memory'];

/**
 * Compares the compute container with what the instance needs now. A pod is never made smaller than the kubelet has
 * it; but what the kubelet has not granted is taken back when it is not wanted any more.
 */
export function podGrowth(vmi: VirtualMachineInstance, pod: Pod, config: ClusterConfig): PodGrowth {
  const asked = resizable(pod.spec.containers.find(({ name }) => name === COMPUTE_CONTAINER)?.resources);
  const granted = resizable(statusOf(pod)?.resources);
  const pending = podResizePending(pod);
  const resources = larger(pending ? granted : asked, resizable(computeResources(vmi, config)));
  if (!covers(asked, resources) || !covers(resources, asked)) {
    return { kind: 'resize', resources, message: RESIZING };
  }
  if (pending) {
    const message = pending.message ?? 'the kubelet does not say why';
    return { kind: pending.reason === 'Infeasible' ? 'infeasible' : 'deferred', message };
  }
  if (covers(granted, resources)) return { kind: 'done' };
  const error = findCondition(pod, 'PodResizeInProgress')?.message;
  return { kind: 'waiting', message: error || RESIZING };
}

/** What the kubelet says of a resize that it has not begun; its word on an older one is none. */
export function podResizePending(pod: Pod): Condition | undefined {
  const pending: (Condition & { observedGeneration?: number }) | undefined = findCondition(pod, 'PodResizePending');
  if (pending?.status !== 'True') return undefined;
  const { generation } = pod.metadata;
  const isOld = pending.observedGeneration !== undefined && pending.observedGeneration < (generation ?? 0);
  return isOld ? undefined : pending;
}

function statusOf(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === COMPUTE_CONTAINER);
}

function resizable({ requests, limits }: ResourceRequirements = {}): PodResources {
  const own = (list: Record<string, Quantity> = {}) =>
    Object.fromEntries(Object.entries(list).filter(([name]) => RESIZABLE.includes(name)));
  return { requests: own(requests), limits: own(limits) };
}

/** Of each resource the larger quantity. A limit that the pod was made without is none. */
function larger(floor: PodResources, needed: PodResources): PodResources {
  const limits = Object.fromEntries(Object.entries(needed.limits ?? {}).filter(([name]) => floor.limits?.[name]));
  return { requests: most(floor.requests, needed.requests), limits: most(floor.limits, limits) };
}

function most(a: Record<string, Quantity> = {}, b: Record<string, Quantity> = {}): Record<string, Quantity> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => {
      const [one, other] = [a[name] ?? 0, b[name] ?? 0];
      return [name, compareQuantities(one, other) >= 0 ? one : other];
    }),
  );
}

function covers(has: PodResources, wanted: PodResources): boolean {
  return (['requests', 'limits'] as const).every((kind) =>
    Object.entries(wanted[kind] ?? {}).every(([name, value]) => compareQuantities(has[kind]?.[name] ?? 0, value) >= 0),
  );
}
