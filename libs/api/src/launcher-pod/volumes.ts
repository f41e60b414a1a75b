import type { PodVolume, VolumeMount } from '../kubernetes.ts';
import type { VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { type CloudInitSecret, cloudInitSecretDirectory, LAUNCHER_DIRECTORIES } from './paths.ts';

export interface MountedVolume {
  volume: PodVolume;
  mount: VolumeMount;
}

/** Volumes that every launcher has. None outlives the pod, and none is shared with another. */
const FIXED: MountedVolume[] = [
  emptyDir('private', LAUNCHER_DIRECTORIES.private),
  emptyDir('sockets', LAUNCHER_DIRECTORIES.sockets),
  // virt-handler mounts images into it on the node while the pod runs.
  emptyDir('container-disks', LAUNCHER_DIRECTORIES.containerDisks, 'HostToContainer'),
  emptyDir('ephemeral-disks', LAUNCHER_DIRECTORIES.ephemeralDisks),
  emptyDir('libvirt-runtime', LAUNCHER_DIRECTORIES.libvirtRuntime),
];

export function launcherVolumes(spec: VirtualMachineInstanceSpec): MountedVolume[] {
  return [...FIXED, ...(spec.volumes ?? []).flatMap(secretsOf)];
}

/** Secrets that hold cloud-init data; read-only for the launcher. */
function secretsOf(volume: Volume): MountedVolume[] {
  const source = volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive;
  return [
    ...secret(volume.name, 'udata', 'userdata', source?.secretRef?.name),
    ...secret(volume.name, 'ndata', 'networkdata', source?.networkDataSecretRef?.name),
  ];
}

function secret(
  volume: string,
  suffix: string,
  data: CloudInitSecret,
  secretName: string | undefined,
): MountedVolume[] {
  if (!secretName) return [];
  const name = `${volume}-${suffix}`;
  return [
    {
      volume: { name, secret: { secretName } },
      mount: { name, mountPath: cloudInitSecretDirectory(volume, data), readOnly: true },
    },
  ];
}

function emptyDir(name: string, mountPath: string, mountPropagation?: VolumeMount['mountPropagation']): MountedVolume {
  return {
    volume: { name, emptyDir: {} },
    mount: { name, mountPath, ...(mountPropagation ? { mountPropagation } : {}) },
  };
}
