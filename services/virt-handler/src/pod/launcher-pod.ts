import {
  COMPUTE_CONTAINER,
  type ContainerStatus,
  decodeLauncherEnd,
  findCondition,
  isPodDown,
  type Pod,
} from '@yagura/api';
import { controllerOf } from '@yagura/kube';
import type { ComputeEnd, PodLoss } from '../vmi/outcome.ts';
import { bareContainerId } from './cgroup.ts';

const GROUP = 'kubevirt.io';

/**
 * The instance that controls a launcher pod. Only this reference counts: a label or an annotation says nothing about who made
 * a pod, and what is accepted here gets devices, mounts and a say in the status of an instance.
 */
export function ownerOf(pod: Pod): { name: string; uid: string } | undefined {
  const owner = controllerOf(pod);
  if (owner?.kind !== 'VirtualMachineInstance' || owner.apiVersion.split('/')[0] !== GROUP) return undefined;
  return owner.name && owner.uid ? { name: owner.name, uid: owner.uid } : undefined;
}

/** UID of the instance that a launcher pod was made for; undefined when it is nobody's. */
export function vmiUidOf(pod: Pod): string | undefined {
  return ownerOf(pod)?.uid;
}

/** Name of the instance that a launcher pod was made for; undefined when it is nobody's. */
export function vmiNameOf(pod: Pod): string | undefined {
  return ownerOf(pod)?.name;
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
export function computeEnd(pod: Pod): ComputeEnd | undefined {
  const terminated = containerStatus(pod, COMPUTE_CONTAINER)?.state?.terminated;
  if (terminated === undefined) return undefined;
  const lastWords = decodeLauncherEnd(terminated.message);
  const own = lastWords === undefined ? terminated.message?.trim() : undefined;
  return { exitCode: terminated.exitCode, message: [terminated.reason, own].filter(Boolean).join(': '), lastWords };
}

/** When the compute container started or ended, in milliseconds since the epoch; undefined where the kubelet is silent. */
export function computeTime(pod: Pod, what: 'startedAt' | 'finishedAt'): number | undefined {
  const state = containerStatus(pod, COMPUTE_CONTAINER)?.state;
  const text = what === 'startedAt' ? state?.running?.startedAt : state?.terminated?.finishedAt;
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Why a pod goes or went, in the words of who took it: an ended pod's own reason (Evicted, Terminated, Preempting, …), the
 * deletion of its object, or, of an ended pod, who disrupted it.
 */
export function podLoss(pod: Pod): PodLoss | undefined {
  const { phase, reason, message } = pod.status ?? {};
  if (phase === 'Failed' && reason) return { reason, message: message || 'the launcher pod failed' };
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { reason: 'LauncherPodDeleted', message: 'its launcher pod was deleted' };
  }
  const disrupted = isPodDown(phase) ? findCondition(pod, 'DisruptionTarget') : undefined;
  if (disrupted?.status !== 'True') return undefined;
  return {
    reason: disrupted.reason || 'DisruptionTarget',
    message: disrupted.message || 'its launcher pod was disrupted',
  };
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
