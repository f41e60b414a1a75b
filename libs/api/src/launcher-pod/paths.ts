/** Directories of the compute container, each a volume of the pod. */
export const LAUNCHER_DIRECTORIES = {
  /** Sockets of the domain, libvirt's configuration and logs. */
  private: '/var/run/kubevirt-private',
  /** The launcher's gRPC socket; virt-handler reaches it through the volume's directory on the node. */
  sockets: '/var/run/kubevirt/sockets',
  /** Read-only images that virt-handler mounts from the containers of container disks. */
  containerDisks: '/var/run/kubevirt/container-disks',
  /** Claims that virt-handler mounts while the guest runs. */
  hotplugDisks: '/var/run/kubevirt/hotplug-disks',
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

/** Name of the image file on the filesystem of a claim. */
export const CLAIM_IMAGE = 'disk.img';

/** Where the filesystem of a claim, or the directory of a host disk, is mounted. */
export function volumeDirectory(volume: string): string {
  return `${LAUNCHER_DIRECTORIES.private}/vmi-disks/${volume}`;
}

/** Node of the block device of a claim. */
export function volumeDevice(volume: string): string {
  return `/dev/${volume}`;
}

/** A hot-plugged claim: the directory its filesystem is mounted on, or the node of its block device. */
export function hotplugPath(volume: string): string {
  return `${LAUNCHER_DIRECTORIES.hotplugDisks}/${volume}`;
}

/** Volumes whose files the guest gets as a CD image, and the directory below `private` they are mounted in. */
export const FILE_VOLUMES = {
  configMap: 'config-map',
  secret: 'secret',
  downwardAPI: 'downwardapi',
  serviceAccount: 'service-account',
  sysprep: 'sysprep',
} as const;

export function fileVolumeDirectory(kind: keyof typeof FILE_VOLUMES, volume: string): string {
  return `${LAUNCHER_DIRECTORIES.private}/${FILE_VOLUMES[kind]}/${volume}`;
}

export type CloudInitSecret = 'userdata' | 'networkdata';

/** Directory with the keys of a cloud-init secret; the data is in the file of that name. */
export function cloudInitSecretDirectory(volume: string, data: CloudInitSecret): string {
  return `${LAUNCHER_DIRECTORIES.private}/secret/${volume}/${data}`;
}

/** Where an attachment pod has the filesystem of its claim. */
export function attachmentDirectory(volume: string): string {
  return `/volumes/${volume}`;
}

/** Where it has the claim's block device. */
export function attachmentDevice(volume: string): string {
  return `/dev/${volume}`;
}
