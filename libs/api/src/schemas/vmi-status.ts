import type { Static } from 'typebox';
import {
  bool,
  int32,
  int64,
  list,
  object,
  oneOf,
  quantity,
  quantityMap,
  str,
  stringMap,
  strings,
  time,
} from './build.ts';
import { CpuTopologySchema } from './cpu-memory.ts';
import { MachineSchema } from './domain.ts';
import { ConditionSchema } from './meta.ts';
import { MigrationStateSchema } from './migration-state.ts';

export const VMI_PHASES = [
  'Pending',
  'Scheduling',
  'Scheduled',
  'Running',
  'Succeeded',
  'Failed',
  'WaitingForSync',
  'Unknown',
] as const;
export type VmiPhase = (typeof VMI_PHASES)[number];

const phase = oneOf('Where the run stands.', VMI_PHASES);

const NetworkInterfaceStatusSchema = object('What is known about one interface.', {
  name: str('Name in the spec; absent for one that only the guest knows.'),
  mac: str('MAC address.'),
  ipAddress: str('First address.'),
  ipAddresses: strings('All addresses, IPv4 first.'),
  interfaceName: str('Name inside the guest, as the guest agent tells it.'),
  podInterfaceName: str('Name in the network namespace of the pod.'),
  infoSource: str('Who knows of it: domain, guest-agent, multus-status, separated by a comma and a space.'),
  queueCount: int32('Queues of the device.'),
  linkState: str('up or down.'),
});
export type NetworkInterfaceStatus = Static<typeof NetworkInterfaceStatusSchema>;

const GuestOsInfoSchema = object('Operating system, as the guest agent tells it.', {
  name: str('Name.'),
  kernelRelease: str('Release of the kernel.'),
  version: str('Version.'),
  prettyName: str('Full name.'),
  versionId: str('Version ID.'),
  kernelVersion: str('Version of the kernel.'),
  machine: str('Machine architecture.'),
  id: str('ID.'),
});
export type GuestOsInfo = Static<typeof GuestOsInfoSchema>;

export const PersistentVolumeClaimInfoSchema = object('Facts about the claim behind a volume.', {
  claimName: str('Name of the claim.'),
  accessModes: strings('Access modes.'),
  volumeMode: str('Filesystem or Block.'),
  capacity: quantityMap('Capacity.'),
  requests: quantityMap('Requested size.'),
  preallocated: bool('Whether its space is allocated in advance.'),
  filesystemOverhead: str('Share of the size that the filesystem takes.'),
});

const VolumeStatusSchema = object(
  'What is known about one volume.',
  {
    phase: str('State of a hot-plugged volume.'),
    reason: str('Why it is in that state.'),
    message: str('The same for a human reader.'),
    size: int64('Size in bytes of a volume that is made from an API object.'),
    persistentVolumeClaimInfo: PersistentVolumeClaimInfoSchema,
    hotplugVolume: object('Pod that carries a hot-plugged volume.', {
      attachPodName: str('Name of the pod.'),
      attachPodUID: str('UID of the pod.'),
    }),
    memoryDumpVolume: object('State of a memory dump.', {
      claimName: str('Claim that receives the dump.'),
      targetFileName: str('File of the dump.'),
      startTimestamp: time('When it began.'),
      endTimestamp: time('When it ended.'),
    }),
    containerDiskVolume: object('Facts about a containerDisk.', { checksum: int64('CRC32 of the image.') }),
  },
  { name: str('Name of the volume.'), target: str('Device name in the guest, such as vda; empty before the start.') },
);
export type VolumeStatus = Static<typeof VolumeStatusSchema>;

const VolumeIdentitySchema = object('A claim on one side of a volume migration.', {
  persistentVolumeClaimInfo: PersistentVolumeClaimInfoSchema,
});

const StorageMigratedVolumeSchema = object('A volume whose claim is being replaced.', {
  volumeName: str('Name of the volume.'),
  sourcePVCInfo: PersistentVolumeClaimInfoSchema,
  destinationPVCInfo: PersistentVolumeClaimInfoSchema,
});

export const StorageMigratedVolumes = list('Volumes whose claim is being replaced.', StorageMigratedVolumeSchema);

export const ChangedBlockTrackingStatusSchema = object('State of changed block tracking.', {
  state: str('State.'),
  backupStatus: object('State of the current backup.', {
    backupName: str('Name of the backup.'),
    startTimestamp: time('When it began.'),
    endTimestamp: time('When it ended.'),
    completed: bool('Whether it ended.'),
    failed: bool('Whether it failed.'),
    volumes: list('Volumes of the backup.', VolumeIdentitySchema),
  }),
});

export const VirtualMachineInstanceStatusSchema = object('What is known about the run.', {
  phase,
  phaseTransitionTimestamps: list(
    'When each phase was first entered.',
    object('A phase and when it was first entered.', { phase, phaseTransitionTimestamp: time('When.') }),
  ),
  nodeName: str('Node that runs the guest.'),
  reason: str('Short cause of the final phase.'),
  qosClass: str('Quality of service class of the launcher pod.'),
  activePods: stringMap('Launcher pods: UID of the pod to name of its node.'),
  launcherContainerImageVersion: str('Image of the launcher that runs the guest.'),
  migrationTransport: str('How a migration is carried; Unix.'),
  migrationMethod: oneOf('How the guest would be migrated.', ['BlockMigration', 'LiveMigration']),
  migrationState: MigrationStateSchema,
  evacuationNodeName: str('Node that is being drained of the guest.'),
  volumeStatus: list('Volumes, sorted by name.', VolumeStatusSchema),
  interfaces: list('Interfaces, the primary one first.', NetworkInterfaceStatusSchema),
  guestOSInfo: GuestOsInfoSchema,
  fsFreezeStatus: str('frozen while the filesystems of the guest are.'),
  selinuxContext: str('SELinux context of the launcher; none without SELinux.'),
  runtimeUser: int64('User ID the guest runs as on the node.'),
  machine: MachineSchema,
  memory: object('Memory of the guest over time.', {
    guestAtBoot: quantity('At start.'),
    guestRequested: quantity('Wanted now.'),
    guestCurrent: quantity('Had now.'),
    memoryOverhead: quantity('Added by the launcher pod.'),
  }),
  currentCPUTopology: CpuTopologySchema,
  topologyHints: object('What the node must offer.', { tscFrequency: int64('TSC frequency in Hz.') }),
  VSOCKCID: int64('Context ID of the VSOCK device.'),
  virtualMachineRevisionName: str('ControllerRevision that the run was started from.'),
  migratedVolumes: StorageMigratedVolumes,
  changedBlockTracking: ChangedBlockTrackingStatusSchema,
  conditions: list('Conditions.', ConditionSchema),
});
export type VirtualMachineInstanceStatus = Static<typeof VirtualMachineInstanceStatusSchema>;
