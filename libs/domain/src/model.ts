// The part of libvirt's domain XML that Yagura writes, as types. Names are libvirt's.

/** "virtio-non-transitional" is modern virtio alone; transitional devices also serve old guests. */
export type VirtioModel = 'virtio-non-transitional' | 'virtio-transitional';

export interface DomainModel {
  type: 'kvm' | 'qemu';
  name: string;
  uuid: string | undefined;
  metadata: DomainMetadata;
  memoryBytes: bigint;
  /** Bytes up to which it may be given more while it runs; undefined: none. */
  maxMemoryBytes: bigint | undefined;
  /** Bytes of the huge pages behind the guest's memory; undefined: ordinary pages. */
  hugepageBytes: bigint | undefined;
  /** Those that it starts with; the topology has room for as many as it may be given. */
  vcpus: number;
  /** 0 leaves the disks to QEMU's main loop. */
  ioThreads: number;
  cpu: CpuModel;
  os: OsModel;
  sysinfo: SystemTable;
  features: FeaturesModel;
  clock: ClockModel | undefined;
  onReboot: 'restart' | 'destroy';
  devices: DevicesModel;
}

/** What a restarted launcher must know of the domain, kept inside the domain. */
export interface DomainMetadata {
  uid: string;
  namespace: string;
  name: string;
  gracePeriodSeconds: number;
  /** Hash of the instance's spec that the domain was made from. */
  specHash: string;
}

export interface CpuModel {
  mode: 'host-model' | 'host-passthrough' | 'maximum' | 'custom';
  /** "none" where libvirt has nothing to compare with, as for an emulated CPU. */
  check: 'none' | undefined;
  model: string | undefined;
  topology: { sockets: number; cores: number; threads: number };
  features: readonly { name: string; policy: string }[];
}

export interface OsModel {
  machine: string;
  kernel: { path: string; initrdPath: string | undefined; commandLine: string | undefined } | undefined;
  biosUseSerial: boolean;
  efi: EfiModel | undefined;
}

/** UEFI firmware in flash; `variables` is this guest's own copy of the template. */
export interface EfiModel {
  secure: boolean;
  loader: string;
  template: string;
  variables: string;
}

/** SMBIOS tables 1 and 3. */
export interface SystemTable {
  system: readonly (readonly [name: string, value: string])[];
  chassis: readonly (readonly [name: string, value: string])[];
}

export interface FeaturesModel {
  acpi: boolean;
  apic: { eoi: 'on' | 'off' | undefined } | undefined;
  smm: boolean;
  kvmHidden: boolean;
  pvspinlock: 'on' | 'off' | undefined;
  hyperv: HypervModel | undefined;
  /** Bound of QEMU's code buffer; only with type qemu. */
  tcgTbCacheMebibytes: number | undefined;
}

/** Either all that the host has, or these, with their attributes and the features inside them. */
export type HypervModel = { mode: 'passthrough' } | { mode: 'custom'; features: readonly HypervFeature[] };

export interface HypervFeature {
  name: string;
  state: 'on' | 'off';
  attributes?: Readonly<Record<string, string | number>>;
  inner?: readonly HypervFeature[];
}

export interface ClockModel {
  offset: 'utc' | 'timezone' | 'variable';
  timezone: string | undefined;
  adjustmentSeconds: number | undefined;
  timers: readonly { name: string; present: 'yes' | 'no'; tickPolicy: string | undefined; track: string | undefined }[];
}

export interface DevicesModel {
  virtioModel: VirtioModel;
  /** PCI Express root ports, each for one device; libvirt adds what is missing, but none to plug a device into later. */
  rootPorts: number;
  disks: readonly DiskModel[];
  interfaces: readonly InterfaceModel[];
  usb: boolean;
  scsi: boolean;
  serialSocket: string | undefined;
  /** What the guest writes to its serial console is also written here. */
  serialLog: string | undefined;
  vncSocket: string | undefined;
  video: { type: string; vram: number | undefined } | undefined;
  agentSocket: string;
  rng: boolean;
  balloonStatsPeriodSeconds: number | undefined;
  watchdog: { name: string; action: string } | undefined;
  sound: { name: string; model: string } | undefined;
  /** Models; undefined leaves the choice to libvirt. */
  panics: readonly (string | undefined)[];
  tpm: boolean;
  inputs: readonly { name: string; bus: 'usb' | 'virtio' }[];
}

export interface ImageModel {
  file: string;
  format: 'qcow2' | 'raw';
  /** A block device rather than a file. */
  block: boolean;
}

/** Address of a function on the guest's PCI bus, each part in hexadecimal. */
export interface PciAddress {
  domain: string;
  bus: string;
  slot: string;
  function: string;
}

export interface DiskModel {
  name: string;
  device: 'disk' | 'cdrom' | 'lun';
  /** undefined: a drive without a medium. */
  source: ImageModel | undefined;
  backing: ImageModel | undefined;
  target: string;
  bus: string;
  cache: string | undefined;
  io: string | undefined;
  errorPolicy: string;
  discard: 'unmap' | undefined;
  queues: number | undefined;
  readonly: boolean;
  shareable: boolean;
  serial: string | undefined;
  bootOrder: number | undefined;
  tray: string | undefined;
  blockSize: { logical: number; physical: number } | undefined;
  pciAddress: PciAddress | undefined;
  /** On the one SCSI controller. Left to choose, libvirt puts seven disks on each, and adds controllers of another kind. */
  scsiUnit: number | undefined;
  /** Numbers of the I/O threads that serve it; several take turns. */
  ioThreads: readonly number[];
}

export interface InterfaceModel {
  name: string;
  tapDevice: string;
  macAddress: string | undefined;
  model: string;
  mtu: number | undefined;
  queues: number | undefined;
  /** "qemu" where there is no vhost; undefined leaves the choice to libvirt. */
  driver: 'vhost' | 'qemu' | undefined;
  linkState: 'up' | 'down';
  bootOrder: number | undefined;
  acpiIndex: number | undefined;
  pciAddress: PciAddress | undefined;
}
