export const FINALIZERS = {
  /** Instances: their launcher pods are still to be removed. */
  vmi: 'kubevirt.io/foregroundDeleteVirtualMachine',
  /** The same, as older versions wrote it. */
  vmiLegacy: 'foregroundDeleteVirtualMachine',
  /** Virtual machines and their instances: the end of an instance is still to be recorded. */
  vmController: 'kubevirt.io/virtualMachineControllerFinalize',
  /** Migrations. */
  migration: 'kubevirt.io/migrationJobFinalize',
} as const;
