/** The static types of the object model. Type exports only: importing this loads nothing. */
export type { IntOrString, Quantity } from './schemas/build.ts';
export type { Cpu, CpuTopology, Memory } from './schemas/cpu-memory.ts';
export type { Devices, Input, Watchdog } from './schemas/devices.ts';
export type { Disk, DiskBus } from './schemas/disks.ts';
export type { Domain } from './schemas/domain.ts';
export type { Clock, Features, Hyperv } from './schemas/features.ts';
export type { Firmware, KernelBoot } from './schemas/firmware.ts';
export type { KubeVirt, KubeVirtSpec, KubeVirtStatus } from './schemas/kubevirt.ts';
export type { KubeVirtConfiguration } from './schemas/kubevirt-configuration.ts';
export type { LabelSelector, LocalObjectReference, TemplateMetadata } from './schemas/meta.ts';
export type {
  MigrationPhase,
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationSpec,
  VirtualMachineInstanceMigrationStatus,
} from './schemas/migration.ts';
export type { MigrationConfiguration, MigrationState } from './schemas/migration-state.ts';
export type { Interface, InterfacePort, Network } from './schemas/networks.ts';
export type { Affinity, PodDnsConfig, Probe, Toleration, TopologySpreadConstraint } from './schemas/pod-parts.ts';
export type {
  PrintableStatus,
  RunStrategy,
  StateChangeRequest,
  VirtualMachine,
  VirtualMachineSpec,
  VirtualMachineStatus,
} from './schemas/vm.ts';
export type { VirtualMachineInstance } from './schemas/vmi.ts';
export type { EvictionStrategy, VirtualMachineInstanceSpec } from './schemas/vmi-spec.ts';
export type {
  GuestOsInfo,
  NetworkInterfaceStatus,
  VirtualMachineInstanceStatus,
  VmiPhase,
  VolumeStatus,
} from './schemas/vmi-status.ts';
export type { AccessCredential, CloudInitSource, ContainerDiskSource, Volume } from './schemas/volumes.ts';
