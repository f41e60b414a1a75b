import {
  type ContainerStatus,
  containerDiskContainerName,
  imageSources,
  KERNEL_BOOT_VOLUME,
  type Pod,
  REASONS,
  type VirtualMachineInstance,
} from '@yagura/api';

export interface Trouble {
  reason: string;
  message: string;
}

const BACK_OFF = 'ImagePullBackOff';
const PULL_REASONS = ['ErrImagePull', 'ErrImageNeverPull', 'InvalidImageName', 'RegistryUnavailable', BACK_OFF];
const CONTAINER_REASONS = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'];

/** What keeps the pod's containers from starting, named by the volume whose image it is. */
export function containerTrouble(vmi: VirtualMachineInstance, pod: Pod, known?: string): Trouble | undefined {
  for (const status of pod.status?.containerStatuses ?? []) {
    const waiting = status.state?.waiting;
    const reason = waiting?.reason ?? '';
    if (PULL_REASONS.includes(reason)) {
      // The kubelet alternates between the two at each attempt; the object follows only once.
      const settled = reason === BACK_OFF || known === REASONS.imagePullBackOff;
      return {
        reason: settled ? REASONS.imagePullBackOff : REASONS.errImagePull,
        message: `${subject(vmi, status)} cannot be pulled: ${detail(waiting?.message, reason)}`,
      };
    }
    if (CONTAINER_REASONS.includes(reason)) {
      return { reason, message: `container ${status.name} cannot be started: ${detail(waiting?.message, reason)}` };
    }
  }
  return undefined;
}

function subject(vmi: VirtualMachineInstance, status: ContainerStatus): string {
  const source = imageSources(vmi.spec).find(({ volume }) => containerDiskContainerName(volume) === status.name);
  if (!source) return `image "${status.image}" of container ${status.name}`;
  const what = source.volume === KERNEL_BOOT_VOLUME ? 'kernelBoot' : `volume "${source.volume}"`;
  return `image "${source.source.image}" of ${what}`;
}

function detail(message: string | undefined, reason: string): string {
  return message ? message.replace(/^Back-off pulling image ("[^"]*")(: )?/, '').trim() || reason : reason;
}
