/** Admission rules, as pure functions. The structure itself is checked by `./structure.ts` and by the API server. */
export { decideEviction } from './eviction.ts';
export { migrationObjection, validateMigrationUpdate, validateNewMigration } from './migration.ts';
export type { Cause, CauseReason } from './report.ts';
export { type CheckedKind, checkStructure, unknownFields } from './structure.ts';
export { UNSUPPORTED_SPEC_FIELDS, UNSUPPORTED_VM_FIELDS } from './unsupported.ts';
export { validateVirtualMachine, virtualMachineWarnings } from './vm.ts';
export { type Admission, validateVirtualMachineInstance } from './vmi.ts';
