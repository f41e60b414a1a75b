/** An image or a device of this node, as QEMU opens it. */
export interface ImageSource {
  /** Path of the file, or of the block device's node. */
  file: string;
  format: 'qcow2' | 'raw';
  /** A block device rather than a file. */
  block?: boolean;
}

/** The storage of a disk as prepared on this node. */
export interface DiskSource extends ImageSource {
  /** Image that `file` is an overlay of; it must not have a backing file of its own. */
  backing?: ImageSource;
  /** Cache mode for a disk that asks for none: "none" where the file system takes O_DIRECT. */
  cache?: 'none' | 'writethrough';
  /** All of its space is allocated, and is to stay so. */
  preallocated?: boolean;
  /** Sizes in bytes of the blocks that the storage works with. */
  blockSize?: { logical: number; physical: number };
}

/** How an interface of the spec is attached on this node. */
export interface InterfaceSource {
  name: string;
  tapDevice: string;
  macAddress?: string;
  mtu?: number;
}

/** Everything that the node decides, as opposed to the instance. */
export interface ConversionOptions {
  accelerator: 'kvm' | 'tcg';
  /** Directory for sockets, /var/run/kubevirt-private in a launcher. */
  privateDirectory: string;
  /** By volume name. */
  disks: ReadonlyMap<string, DiskSource>;
  interfaces: readonly InterfaceSource[];
  kernelBoot?: { kernelPath: string; initrdPath?: string };
  systemInformation?: { manufacturer?: string; product?: string; version?: string; family?: string; sku?: string };
  /** Directory of the UEFI firmware in the launcher. */
  firmwareDirectory?: string;
  /** 0 turns the balloon's statistics off. */
  balloonStatsPeriodSeconds?: number;
}

export const DEFAULT_BALLOON_STATS_PERIOD_SECONDS = 10;
