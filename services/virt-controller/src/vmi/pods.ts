import {
  ANNOTATIONS,
  COMPUTE_CONTAINER,
  type ContainerStatus,
  isPodDown,
  type Pod,
  type VirtualMachineInstance,
} from '@yagura/api';
import { controllerOf } from '@yagura/kube';

/** Whether the instance owns the pod; a pod of an earlier instance of the same name is not its own. */
export function isPodOf(pod: Pod, vmi: VirtualMachineInstance): boolean {
  return vmi.metadata.uid !== undefined && controllerOf(pod)?.uid === vmi.metadata.uid;
}

/**
 * Whether the kubelet gave the pod up before any of its containers ran: refused at admission (UnexpectedAdmissionError,
 * NodeAffinity, OutOfcpu, …) or evicted while it was still being prepared. The guest has not lived, so nothing is lost.
 */
export function wasRefused(pod: Pod): boolean {
  if (pod.status?.phase !== 'Failed') return false;
  return (pod.status.containerStatuses ?? []).every((container) => !hasRun(container));
}

function hasRun({ containerID, state, lastState }: ContainerStatus): boolean {
  return Boolean(containerID || state?.running || state?.terminated?.startedAt || lastState?.terminated);
}

/** Neither ended nor about to. */
export function isAlive(pod: Pod): boolean {
  return !isPodDown(pod.status?.phase) && !pod.metadata.deletionTimestamp;
}

/** The pod that runs the guest: the newest on the instance's node, or anywhere while it has none. */
export function currentPod(vmi: VirtualMachineInstance, pods: readonly Pod[]): Pod | undefined {
  const node = vmi.status?.nodeName;
  return pods
    .filter((pod) => !wasRefused(pod) && (!node || pod.spec.nodeName === node))
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''))[0];
}

export function computeStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === COMPUTE_CONTAINER);
}

/** Every container is ready; of the compute container it is enough that it runs: its probes ask the guest. */
export function isPodUp(pod: Pod): boolean {
  if (pod.status?.phase !== 'Running') return false;
  const statuses = pod.status.containerStatuses ?? [];
  return (
    statuses.length >= pod.spec.containers.length &&
    statuses.every(({ name, ready, state }) => (name === COMPUTE_CONTAINER ? state?.running !== undefined : ready))
  );
}

/** Why a pod ended, in the words of who knows it best. */
export function failureOf(pod: Pod): { reason: string; message: string } {
  const name = pod.metadata.name;
  const terminated = computeStatus(pod)?.state?.terminated;
  if (pod.status?.reason) return { reason: pod.status.reason, message: pod.status.message ?? `pod ${name} failed` };
  if (terminated) {
    const how = terminated.signal ? `by signal ${terminated.signal}` : `with exit code ${terminated.exitCode}`;
    return {
      reason: 'LauncherPodFailed',
      message: `the compute container of pod ${name} ended ${how} before the guest ran`,
    };
  }
  return { reason: 'LauncherPodFailed', message: `pod ${name} ended before the guest ran` };
}

export function isMigratableByUnixSockets(pod: Pod): boolean {
  return pod.metadata.annotations?.[ANNOTATIONS.migrationTransportUnix] === 'true';
}
