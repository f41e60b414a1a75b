/** Directories of the compute container, each a volume of the pod. */
export const LAUNCHER_DIRECTORIES = {
  /** Sockets of the domain, libvirt's configuration and logs. */
  private: '/var/run/kubevirt-private',
  /** The launcher's gRPC socket; virt-handler reaches it through the volume's directory on the node. */
  sockets: '/var/run/kubevirt/sockets',
  /** Read-only images that virt-handler mounts from the containers of container disks. */
  containerDisks: '/var/run/kubevirt/container-disks',
  /** Overlays and generated images. */
  ephemeralDisks: '/var/run/kubevirt-ephemeral-disks',
  libvirtRuntime: '/var/run/libvirt',
} as const;

export const LAUNCHER_SOCKET = `${LAUNCHER_DIRECTORIES.sockets}/launcher-sock`;

/** Where the helper is found in the container of a container disk; a mount that virt-handler's device plugin adds. */
export const CONTAINER_DISK_HELPER = '/usr/bin/container-disk';

/** Image of a container disk as the launcher sees it, by the index of its volume in the spec. */
export function containerDiskImage(volumeIndex: number): string {
  return `${LAUNCHER_DIRECTORIES.containerDisks}/disk_${volumeIndex}.img`;
}

export const KERNEL_BOOT_DIRECTORY = `${LAUNCHER_DIRECTORIES.containerDisks}/kernel-boot`;

export type CloudInitSecret = 'userdata' | 'networkdata';

/** Directory with the keys of a cloud-init secret; the data is in the file of that name. */
export function cloudInitSecretDirectory(volume: string, data: CloudInitSecret): string {
  return `${LAUNCHER_DIRECTORIES.private}/secret/${volume}/${data}`;
}
