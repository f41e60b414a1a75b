import { dirname } from 'node:path';
import { accessCredentialDirectory } from '../access-credentials.ts';
import { claimNameOf, isHotpluggable, type VolumeMode } from '../claims.ts';
import type { PodVolume, VolumeMount } from '../kubernetes.ts';
import type { VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { fileSource } from './file-volumes.ts';
import {
  type CloudInitSecret,
  cloudInitSecretDirectory,
  type FILE_VOLUMES,
  fileVolumeDirectory,
  LAUNCHER_DIRECTORIES,
  volumeDevice,
  volumeDirectory,
} from './paths.ts';

/** A volume of the pod, and how the compute container sees it. */
export interface LauncherVolume {
  volume: PodVolume;
  mount?: VolumeMount;
  device?: { name: string; devicePath: string };
}

/** Volume modes of the claims, by name. */
export type ClaimModes = ReadonlyMap<string, VolumeMode>;

/** Volumes that every launcher has. None outlives the pod, and none is shared with another. */
const FIXED: LauncherVolume[] = [
  emptyDir('private', LAUNCHER_DIRECTORIES.private),
  emptyDir('sockets', LAUNCHER_DIRECTORIES.sockets),
  // virt-handler mounts images and claims into them on the node while the pod runs.
  emptyDir('container-disks', LAUNCHER_DIRECTORIES.containerDisks, 'HostToContainer'),
  emptyDir('hotplug-disks', LAUNCHER_DIRECTORIES.hotplugDisks, 'HostToContainer'),
  emptyDir('ephemeral-disks', LAUNCHER_DIRECTORIES.ephemeralDisks),
  emptyDir('libvirt-runtime', LAUNCHER_DIRECTORIES.libvirtRuntime),
];

/** All volumes of the pod; those that are plugged in while the guest runs are not among them. */
export function launcherVolumes(spec: VirtualMachineInstanceSpec, claims: ClaimModes): LauncherVolume[] {
  const own = (spec.volumes ?? []).filter((volume) => !isHotpluggable(volume));
  const stored = own.flatMap((volume) => [...cloudInitSecrets(volume), ...storageOf(volume, claims)]);
  return [...FIXED, ...stored, ...credentialSecrets(spec)];
}

function storageOf(volume: Volume, claims: ClaimModes): LauncherVolume[] {
  const { name, hostDisk } = volume;
  const claimName = claimNameOf(volume);
  if (claimName !== undefined) return [claim(volume, claimName, claims.get(claimName) ?? 'Filesystem')];
  if (hostDisk !== undefined) {
    const type = hostDisk.type === 'DiskOrCreate' ? 'DirectoryOrCreate' : 'Directory';
    const hostPath = { path: dirname(hostDisk.path), type };
    return [{ volume: { name, hostPath }, mount: { name, mountPath: volumeDirectory(name) } }];
  }
  const files = fileSource(volume);
  return files === undefined ? [] : [fileVolume(name, files.kind, files.source)];
}

function claim(volume: Volume, claimName: string, mode: VolumeMode): LauncherVolume {
  const { name } = volume;
  // Below an overlay nothing is ever written.
  const readOnly = volume.ephemeral !== undefined || volume.persistentVolumeClaim?.readOnly === true;
  const shown = readOnly ? { readOnly } : {};
  const pod = { name, persistentVolumeClaim: { claimName, ...shown } };
  if (mode === 'Block') return { volume: pod, device: { name, devicePath: volumeDevice(name) } };
  return { volume: pod, mount: { name, mountPath: volumeDirectory(name), ...shown } };
}

function fileVolume(name: string, kind: keyof typeof FILE_VOLUMES, source: Omit<PodVolume, 'name'>): LauncherVolume {
  return {
    volume: { name, ...source },
    mount: { name, mountPath: fileVolumeDirectory(kind, name), readOnly: true },
  };
}

/** Secrets that hold SSH keys or passwords; the kubelet brings their changes. */
function credentialSecrets({ accessCredentials }: VirtualMachineInstanceSpec): LauncherVolume[] {
  return (accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }, index) => {
    const secretName = (sshPublicKey ?? userPassword)?.source.secret?.secretName;
    if (!secretName) return [];
    const name = `access-credential-${index}`;
    const mount = { name, mountPath: accessCredentialDirectory(index), readOnly: true };
    return [{ volume: { name, secret: { secretName } }, mount }];
  });
}

/** Secrets that hold cloud-init data; read-only for the launcher. */
function cloudInitSecrets(volume: Volume): LauncherVolume[] {
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
): LauncherVolume[] {
  if (!secretName) return [];
  const name = `${volume}-${suffix}`;
  return [
    {
      volume: { name, secret: { secretName } },
      mount: { name, mountPath: cloudInitSecretDirectory(volume, data), readOnly: true },
    },
  ];
}

function emptyDir(name: string, mountPath: string, mountPropagation?: VolumeMount['mountPropagation']): LauncherVolume {
  return {
    volume: { name, emptyDir: {} },
    mount: { name, mountPath, ...(mountPropagation ? { mountPropagation } : {}) },
  };
}
