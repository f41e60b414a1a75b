/** A disk image as prepared on this node. */
export interface DiskSource {
  file: string;
  format: 'qcow2' | 'raw';
  /** Image that `file` is an overlay of; it must not have a backing file of its own. */
  backing?: { file: string; format: 'qcow2' | 'raw' };
  /** Cache mode for a disk that asks for none: "none" where the file system takes O_DIRECT. */
  cache?: 'none' | 'writethrough';
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
  /** 0 turns the balloon's statistics off. */
  balloonStatsPeriodSeconds?: number;
}

export const DEFAULT_BALLOON_STATS_PERIOD_SECONDS = 10;
