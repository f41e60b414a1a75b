import { COMPUTE_CONTAINER, type ContainerProbe, type ContainerStatus, type Pod } from '@yagura/api';

/** Which containers keep a pod from being ready, and how, in one sentence; empty when none does. */
export function unreadyContainers(pod: Pod): string {
  return (pod.status?.containerStatuses ?? []).flatMap((status) => unready(pod, status)).join('; ');
}

function unready(pod: Pod, { name, ready, state }: ContainerStatus): string[] {
  if (ready) return [];
  const { waiting, terminated } = state ?? {};
  if (terminated) return [`container ${name} ended with exit code ${terminated.exitCode}`];
  if (waiting) return [`container ${name} waits${waiting.reason ? ` (${waiting.reason})` : ''}`];
  const probe = pod.spec.containers.find((container) => container.name === name)?.readinessProbe;
  if (!probe) return [`container ${name} is not ready`];
  const subject = name === COMPUTE_CONTAINER ? 'the guest' : `container ${name}`;
  return [`the readiness probe of ${subject} (${kindOf(probe)}) does not succeed`];
}

function kindOf({ exec, httpGet, tcpSocket }: ContainerProbe): string {
  if (httpGet) return `HTTP GET on port ${httpGet.port}`;
  if (tcpSocket) return `TCP on port ${tcpSocket.port}`;
  return exec?.command?.includes('--guestAgentPing') ? 'guest agent ping' : 'a command through the guest agent';
}
