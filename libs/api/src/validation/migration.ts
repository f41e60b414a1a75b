import { findCondition } from '../conditions.ts';
import { LABELS } from '../labels.ts';
import { isFinal } from '../phases.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from '../types.ts';
import { isDnsSubdomain } from './names.ts';
import { type Cause, Report } from './report.ts';
import { sameJson } from './same-json.ts';

type Migration = VirtualMachineInstanceMigration;

/** What is wrong with a new migration as such. @param byController made by virt-controller, which alone sets priorities */
export function validateNewMigration(migration: Migration, byController: boolean): Cause[] {
  const report = new Report();
  const { vmiName, priority } = migration.spec;
  if (!vmiName) report.required('spec.vmiName', 'is missing: name the VirtualMachineInstance to migrate');
  else if (!isDnsSubdomain(vmiName))
    report.invalid('spec.vmiName', `is "${vmiName}", which is not the name of an object`);
  if (priority && !byController) report.forbidden('spec.priority', 'can only be set by virt-controller; remove it');
  return report.causes;
}

export function validateMigrationUpdate(migration: Migration, old: Migration): Cause[] {
  const report = new Report();
  if (!sameJson(migration.spec, old.spec)) {
    report.notSupported(
      'spec',
      "cannot be changed: update of Migration object's spec is restricted, make a new migration instead",
    );
  }
  const selector = LABELS.migrationVmiName;
  if (migration.metadata.labels?.[selector] !== old.metadata.labels?.[selector]) {
    report.notSupported(`metadata.labels[${selector}]`, 'selects the migrated instance and cannot be changed');
  }
  return report.causes;
}

/**
 * Why the instance cannot be migrated now; undefined when it can.
 * @param others all migrations of the instance
 */
export function migrationObjection(
  name: string,
  vmi: VirtualMachineInstance | undefined,
  others: readonly Migration[],
): string | undefined {
  if (!vmi) return `the VMI "${name}" does not exist under the cluster`;
  if (isFinal(vmi)) return `Cannot migrate VMI in finalized state: "${name}" is ${vmi.status?.phase}`;
  const migratable = findCondition(vmi, 'LiveMigratable');
  if (migratable?.status === 'False') {
    return `Cannot migrate VMI, Reason: ${migratable.reason ?? ''}, Message: ${migratable.message ?? ''}`;
  }
  const active = others.find(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  if (!active) return undefined;
  return `in-flight migration detected. Active migration job (${active.metadata.uid}) is currently already in progress for VMI ${name}.`;
}
