import { createHash } from 'node:crypto';
import type { Container } from '../kubernetes.ts';
import { DEVICES } from '../names.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';
import { CONTAINER_DISK_HELPER } from './paths.ts';
import { RESTRICTED_CONTAINER } from './security.ts';

const NAME_MAX = 63;
/** Stands for the name of a volume in the container of kernelBoot. */
export const KERNEL_BOOT_VOLUME = 'kernel-boot-volume';

/** Name of the container that keeps the image of a container disk mounted on the node. */
export function containerDiskContainerName(volume: string): string {
  const name = `volume${volume}`;
  if (name.length <= NAME_MAX) return name;
  const hash = createHash('sha256').update(volume).digest('hex').slice(0, 10);
  return `${name.slice(0, NAME_MAX - hash.length - 1)}-${hash}`;
}

interface ImageSource {
  image: string;
  imagePullPolicy?: string;
  imagePullSecret?: string;
}

/** Images that are mounted as disks or as a kernel, and the volume each stands for. */
export function imageSources(spec: VirtualMachineInstanceSpec): { volume: string; source: ImageSource }[] {
  const kernel = spec.domain.firmware?.kernelBoot?.container;
  return [
    ...(kernel ? [{ volume: KERNEL_BOOT_VOLUME, source: kernel }] : []),
    ...(spec.volumes ?? []).flatMap(({ name, containerDisk }) =>
      containerDisk ? [{ volume: name, source: containerDisk }] : [],
    ),
  ];
}

/**
 * One container an image. It only sleeps: while it lives, the runtime keeps the image's files mounted on the node.
 * The image needs no program of its own, because the device plugin mounts one into the container.
 * @param guaranteed the pod is to be of QoS class Guaranteed, which every container of it must be
 */
export function containerDiskContainers(spec: VirtualMachineInstanceSpec, guaranteed: boolean): Container[] {
  // A static program that sleeps; the limit leaves room for the runtime's own start-up in the same cgroup.
  const limits = { cpu: '100m', memory: '40Mi' };
  return imageSources(spec).map(({ volume, source }) => ({
    name: containerDiskContainerName(volume),
    image: source.image,
    imagePullPolicy: source.imagePullPolicy || pullPolicyOf(source.image),
    command: [CONTAINER_DISK_HELPER],
    resources: {
      requests: guaranteed ? limits : { cpu: '1m', memory: '1Mi' },
      limits: { ...limits, [DEVICES.containerDisk]: '1' },
    },
    // Nobody may put another file or link in the place of the image that virt-handler mounts.
    securityContext: { ...RESTRICTED_CONTAINER, readOnlyRootFilesystem: true },
  }));
}

/** Kubernetes' own rule: an image that can change under its name is always looked up. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
