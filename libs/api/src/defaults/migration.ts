import { FINALIZERS } from '../finalizers.ts';
import { LABELS } from '../labels.ts';
import type { VirtualMachineInstanceMigration } from '../types.ts';

/** A new migration as it is to be stored: found by the name of its instance, and held until it has been cleared away. */
export function defaultMigration(migration: VirtualMachineInstanceMigration): VirtualMachineInstanceMigration {
  const { metadata, spec } = migration;
  const finalizers = metadata.finalizers ?? [];
  return {
    ...migration,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...(spec.vmiName ? { [LABELS.migrationVmiName]: spec.vmiName } : {}) },
      finalizers: finalizers.includes(FINALIZERS.migration) ? finalizers : [...finalizers, FINALIZERS.migration],
    },
  };
}
