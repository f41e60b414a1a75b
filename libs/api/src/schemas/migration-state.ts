import type { Static } from 'typebox';
import { bool, int32, int64, list, map, object, oneOf, quantity, str, stringMap, time } from './build.ts';

export const MigrationConfigurationSchema = object('Settings of live migration.', {
  parallelMigrationsPerCluster: int32('Most migrations running at once in the cluster; 5 if unset.'),
  parallelOutboundMigrationsPerNode: int32('Most migrations leaving a node at once; 2 if unset.'),
  bandwidthPerMigration: quantity('Bytes a second for one migration; 0 (the default) is no limit.'),
  completionTimeoutPerGiB: int64('Seconds for each GiB of memory before a migration is given up; 150 if unset.'),
  progressTimeout: int64('Seconds without progress before a migration is given up; 150 if unset.'),
  maxDowntimeMs: int64('Longest downtime in milliseconds that is aimed at.'),
  utilityVolumesTimeout: int64('Seconds that utility volumes may hold up a migration; 150 if unset.'),
  allowAutoConverge: bool('Slows a busy guest down so that the migration ends; false if unset.'),
  allowPostCopy: bool('Lets the guest run on the target before its memory is all there; false if unset.'),
  allowWorkloadDisruption: bool('Lets a migration that does not end pause the guest.'),
  unsafeMigrationOverride: bool('Migrates although libvirt thinks it unsafe; false if unset.'),
  disableTLS: bool('Migrates without encryption; false if unset.'),
  network: str('NetworkAttachmentDefinition of a network used only for migration.'),
  matchSELinuxLevelOnMigration: bool('Gives the target the SELinux level of the source; true if unset.'),
  nodeDrainTaintKey: str('Taint that also drains virtual machines; kubevirt.io/drain if unset.'),
});
export type MigrationConfiguration = Static<typeof MigrationConfigurationSchema>;

const side = {
  node: str('Node.'),
  pod: str('Launcher pod.'),
  migrationUID: str('UID of the VirtualMachineInstanceMigration.'),
  virtualMachineInstanceUID: str('UID of the VirtualMachineInstance.'),
  domainName: str('Name of the libvirt domain.'),
  domainNamespace: str('Namespace part of the name of the libvirt domain.'),
  syncAddress: str('Address of the synchronization controller.'),
  persistentStatePVCName: str('Claim with TPM and EFI state.'),
  selinuxContext: str('SELinux context of the launcher.'),
  nodeSelectors: stringMap('Node labels that a target needs.'),
};

const nodePorts = map('Port of the node to what it carries.', int32(''));

const SourceStateSchema = object('The side the guest comes from.', side);
const TargetStateSchema = object('The side the guest goes to.', {
  ...side,
  domainReadyTimestamp: time('When the guest was seen running on the target.'),
  domainDetected: bool('Whether the libvirt domain exists on the target.'),
  nodeAddress: str('Address that receives the migration.'),
  directMigrationNodePorts: nodePorts,
  attachmentPodUID: str('Pod that carries hot-plugged volumes.'),
  cpuSet: list('Physical CPUs of the target.', int32('')),
  nodeTopology: str('NUMA topology of the target as JSON.'),
});

export const MIGRATION_MODES = ['PreCopy', 'PostCopy', 'Paused'] as const;

export const MigrationStateSchema = object('The current or last live migration of the guest.', {
  startTimestamp: time('When the source began.'),
  endTimestamp: time('When it ended, either way.'),
  targetNodeDomainReadyTimestamp: time('When the guest was seen running on the target.'),
  targetNodeDomainDetected: bool('Whether the libvirt domain exists on the target.'),
  targetNodeAddress: str('Address that receives the migration.'),
  targetDirectMigrationNodePorts: nodePorts,
  targetNode: str('Node the guest goes to.'),
  targetPod: str('Launcher pod on the target.'),
  targetAttachmentPodUID: str('Pod that carries hot-plugged volumes on the target.'),
  sourceNode: str('Node the guest comes from.'),
  sourcePod: str('Launcher pod on the source.'),
  completed: bool('Whether the migration ended.'),
  failed: bool('Whether it ended without success.'),
  abortRequested: bool('Whether someone asked to abort it.'),
  abortStatus: oneOf('How far an abort has come.', ['Aborting', 'Succeeded', 'Failed']),
  failureReason: str('Why it failed.'),
  migrationUid: str('UID of the VirtualMachineInstanceMigration.'),
  mode: oneOf('How memory is moved.', MIGRATION_MODES),
  migrationPolicyName: str('MigrationPolicy that applied.'),
  migrationConfiguration: MigrationConfigurationSchema,
  migrationNetworkType: oneOf('Network the migration uses.', ['Pod', 'Migration']),
  targetCPUSet: list('Physical CPUs of the target.', int32('')),
  targetNodeTopology: str('NUMA topology of the target as JSON.'),
  targetMemoryOverhead: quantity('Memory overhead of the target pod.'),
  sourcePersistentStatePVCName: str('Claim with TPM and EFI state on the source.'),
  targetPersistentStatePVCName: str('Claim with TPM and EFI state on the target.'),
  sourceState: SourceStateSchema,
  targetState: TargetStateSchema,
});
export type MigrationState = Static<typeof MigrationStateSchema>;
