/** Schemas, for generators and tests. Loading this loads TypeBox; services take the types from `@yagura/api`. */
export { KubeVirtSchema } from './kubevirt.ts';
export { LauncherVmiSchema } from './launcher-vmi.ts';
export { VirtualMachineInstanceMigrationSchema } from './migration.ts';
export { type StructuralSchema, structuralSchema } from './structural.ts';
export { VirtualMachineSchema } from './vm.ts';
export { VirtualMachineInstanceSchema } from './vmi.ts';
export { VirtualMachineInstanceSpecSchema } from './vmi-spec.ts';
export { VirtualMachineInstanceStatusSchema } from './vmi-status.ts';
