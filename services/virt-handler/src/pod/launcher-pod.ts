import { ANNOTATIONS, COMPUTE_CONTAINER, type ContainerStatus, LABELS, type Pod } from '@yagura/api';
import { controllerOf } from '@yagura/kube';
import { bareContainerId } from './cgroup.ts';

/** UID of the instance that a launcher pod was made for. */
export function vmiUidOf(pod: Pod): string | undefined {
  return controllerOf(pod)?.uid ?? pod.metadata.labels?.[LABELS.createdBy];
}

/** Name of the instance that a launcher pod was made for. */
export function vmiNameOf(pod: Pod): string | undefined {
  return controllerOf(pod)?.name ?? pod.metadata.annotations?.[ANNOTATIONS.domain];
}

export function containerStatus(pod: Pod, name: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === name);
}

/** Id of a container that runs now. */
export function runningContainer(pod: Pod, name: string): string | undefined {
  const status = containerStatus(pod, name);
  return status?.state?.running === undefined ? undefined : bareContainerId(status.containerID);
}

/** Names of the pod's containers that do not run (yet). */
export function containersNotRunning(pod: Pod): string[] {
  return pod.spec.containers.map(({ name }) => name).filter((name) => runningContainer(pod, name) === undefined);
}

/** How the compute container ended; undefined while it has not. */
export function computeEnd(pod: Pod): { exitCode: number; message: string } | undefined {
  const terminated = containerStatus(pod, COMPUTE_CONTAINER)?.state?.terminated;
  if (terminated === undefined) return undefined;
  const message = [terminated.reason, terminated.message?.trim()].filter(Boolean).join(': ');
  return { exitCode: terminated.exitCode, message };
}

export function podIPs(pod: Pod): string[] {
  const ips = (pod.status?.podIPs ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  return ips.length > 0 || !pod.status?.podIP ? ips : [pod.status.podIP];
}

/** Of several launchers the newest, as the one that was made because the others ended. */
export function newestPod(pods: Pod[]): Pod | undefined {
  const age = (pod: Pod) => `${pod.metadata.creationTimestamp ?? ''}/${pod.metadata.name}`;
  return pods.reduce<Pod | undefined>((newest, pod) => (newest && age(newest) >= age(pod) ? newest : pod), undefined);
}
