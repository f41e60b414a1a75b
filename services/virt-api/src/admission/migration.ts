import {
  defaultMigration,
  jsonPatch,
  SERVICE_ACCOUNTS,
  serviceAccountUser,
  type VirtualMachineInstanceMigration,
} from '@yagura/api';
import {
  checkStructure,
  migrationObjection,
  validateMigrationUpdate,
  validateNewMigration,
} from '@yagura/api/validation';
import type { ClusterObjects } from './cluster-objects.ts';
import type { AsyncWebhook, Webhook } from './review.ts';

const KIND = 'VirtualMachineInstanceMigration';

/** An accepted migration that nobody carries out would look pending for ever. */
const REFUSAL =
  'live migration is not supported by this version of Yagura: a VirtualMachineInstanceMigration would never be acted upon';

export const mutateMigration: Webhook = ({ object }) => {
  const migration = object as VirtualMachineInstanceMigration;
  if (checkStructure(KIND, migration).length > 0) return { allowed: true };
  return { allowed: true, patch: jsonPatch(migration, defaultMigration(migration)) };
};

export function validateMigrationCreate(cluster: ClusterObjects, installNamespace: string): AsyncWebhook {
  const controller = serviceAccountUser(installNamespace, SERVICE_ACCOUNTS.controller);
  return async ({ object, namespace = '', userInfo }) => {
    const migration = object as VirtualMachineInstanceMigration;
    const structural = checkStructure(KIND, migration);
    const causes =
      structural.length > 0 ? structural : validateNewMigration(migration, userInfo.username === controller);
    if (causes.length > 0) return { allowed: false, causes };
    const { vmiName = '' } = migration.spec;
    const [vmi, others] = await Promise.all([
      cluster.vmi(namespace, vmiName),
      cluster.migrationsOf(namespace, vmiName),
    ]);
    return { allowed: false, message: migrationObjection(vmiName, vmi, others) ?? REFUSAL };
  };
}

export const validateMigrationChange: Webhook = ({ object, oldObject }) => {
  const migration = object as VirtualMachineInstanceMigration;
  const structural = checkStructure(KIND, migration);
  const causes =
    structural.length > 0
      ? structural
      : validateMigrationUpdate(migration, oldObject as VirtualMachineInstanceMigration);
  return causes.length > 0 ? { allowed: false, causes } : { allowed: true };
};
