import type { VirtualMachineInstanceSpec } from '../types.ts';
import { asksForSomething, valuesAt } from './fields.ts';
import type { Report } from './report.ts';

/**
 * Fields of the contract that this version does not act upon. They are refused, each by its name, because a field
 * that is accepted and ignored is worse than one that is missing. `[]` stands for every element of a list.
 * A feature that arrives removes its lines here.
 */
export const UNSUPPORTED_SPEC_FIELDS: readonly string[] = [
  'resourceClaims',
  'utilityVolumes',
  'domain.cpu.dedicatedCpuPlacement',
  'domain.cpu.isolateEmulatorThread',
  'domain.cpu.numa',
  'domain.cpu.realtime',
  'domain.devices.autoattachVSOCK',
  'domain.devices.clientPassthrough',
  'domain.devices.disks[].blockSize.custom.discardGranularity',
  'domain.devices.disks[].changedBlockTracking',
  'domain.devices.disks[].lun.reservation',
  'domain.devices.disks[].tag',
  'domain.devices.downwardMetrics',
  'domain.devices.filesystems',
  'domain.devices.gpus',
  'domain.devices.hostDevices',
  'domain.devices.interfaces[].binding',
  'domain.devices.interfaces[].passtBinding',
  'domain.devices.interfaces[].portRanges',
  'domain.devices.interfaces[].sriov',
  'domain.devices.interfaces[].tag',
  'domain.devices.tpm.persistent',
  'domain.devices.watchdog.diag288',
  'domain.firmware.acpi',
  'domain.firmware.bootloader.efi.persistent',
  'domain.launchSecurity',
  'domain.memory.reservedOverhead.memLock',
  'networks[].pod.vmIPv6NetworkCIDR',
  'networks[].resourceClaim',
  'volumes[].containerPath',
  'volumes[].downwardMetrics',
  'volumes[].memoryDump',
];

/** Values that ask for nothing, and are therefore done. */
const HARMLESS: Record<string, readonly string[]> = {
  'domain.memory.reservedOverhead.memLock': ['NotRequired'],
};

/** The same for a VirtualMachine, below `spec`. */
export const UNSUPPORTED_VM_FIELDS: readonly string[] = ['instancetype', 'preference', 'updateVolumesStrategy'];
export const SUPPORTED_RUN_STRATEGIES: readonly string[] = ['Always', 'RerunOnFailure', 'Manual', 'Once', 'Halted'];
export const SUPPORTED_ARCHITECTURES: readonly string[] = ['amd64'];

const TEXT = 'is not supported by this version';

export function refuseUnsupported(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  refuseFields(spec, UNSUPPORTED_SPEC_FIELDS, at, report);
  const { architecture } = spec;
  if (architecture && !SUPPORTED_ARCHITECTURES.includes(architecture)) {
    report.notSupported(`${at}.architecture`, `is "${architecture}", which ${TEXT}; only amd64 is`);
  }
}

export function refuseFields(part: object, fields: readonly string[], at: string, report: Report): void {
  for (const path of fields) {
    for (const { field, value } of valuesAt(part, path.split('.'), at)) {
      if (asksForSomething(value) && !HARMLESS[path]?.includes(String(value))) report.notSupported(field, TEXT);
    }
  }
}
