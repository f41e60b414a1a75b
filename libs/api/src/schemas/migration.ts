import type { Static } from 'typebox';
import type { ObjectMeta } from '../kubernetes.ts';
import { doc, list, object, objectMeta, oneOf, str, stringMap, strings, time } from './build.ts';
import { ConditionSchema } from './meta.ts';
import { MigrationStateSchema } from './migration-state.ts';
import { typeMeta } from './vmi.ts';

export const MIGRATION_PHASES = [
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'WaitingForSync',
  'Synchronizing',
  'Running',
  'Succeeded',
  'Failed',
] as const;
export type MigrationPhase = (typeof MIGRATION_PHASES)[number];

export const MIGRATION_PRIORITIES = ['system-critical', 'user-triggered', 'system-maintenance'] as const;

const phase = oneOf('Where the migration stands.', MIGRATION_PHASES);

const MigrationSpecSchema = object('Which virtual machine instance to migrate, and where.', {
  vmiName: str('Name of the VirtualMachineInstance in the same namespace.'),
  addedNodeSelector: stringMap('Labels that the target node must have besides those the instance asks for.'),
  priority: oneOf('Priority in the queue; set by the product only.', MIGRATION_PRIORITIES),
  sendTo: object(
    'Sends the guest to another cluster.',
    {},
    {
      migrationID: str('Name shared by the two sides.'),
      connectURL: str('Address of the synchronization controller of the other side.'),
    },
  ),
  receive: object('Receives a guest from another cluster.', {}, { migrationID: str('Name shared by the two sides.') }),
});

const MigrationStatusSchema = object('How far the migration has come.', {
  phase,
  phaseTransitionTimestamps: list(
    'When each phase was first entered.',
    object('A phase and when it was first entered.', { phase, phaseTransitionTimestamp: time('When.') }),
  ),
  conditions: list('Conditions.', ConditionSchema),
  migrationState: doc('Migration state of the instance, kept here when the migration has ended.', MigrationStateSchema),
  synchronizationAddresses: strings('Addresses of the synchronization controller.'),
});

export const VirtualMachineInstanceMigrationSchema = object(
  'One live migration of a virtual machine instance to another node.',
  { ...typeMeta, status: MigrationStatusSchema },
  { metadata: objectMeta<ObjectMeta>(), spec: MigrationSpecSchema },
);
export type VirtualMachineInstanceMigration = Static<typeof VirtualMachineInstanceMigrationSchema>;
export type VirtualMachineInstanceMigrationSpec = Static<typeof MigrationSpecSchema>;
export type VirtualMachineInstanceMigrationStatus = Static<typeof MigrationStatusSchema>;
