import type { ClusterConfig } from '../config.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';
import { asksForSomething, valuesAt } from './fields.ts';
import type { Report } from './report.ts';
import { UNSUPPORTED_SPEC_FIELDS } from './unsupported.ts';

/** Fields that an administrator must allow first, and the feature gate that does. */
const GATED_FIELDS: Readonly<Record<string, string>> = {
  utilityVolumes: 'UtilityVolumes',
  'domain.devices.autoattachVSOCK': 'VSOCK',
  'domain.devices.disks[].changedBlockTracking': 'IncrementalBackup',
  'domain.devices.downwardMetrics': 'DownwardMetrics',
  'domain.devices.hostDevices': 'HostDevices',
  'domain.devices.interfaces[].passtBinding': 'PasstBinding',
  'domain.devices.interfaces[].portRanges': 'PortRangesSpec',
  'domain.launchSecurity.sev': 'WorkloadEncryptionSEV',
  'domain.launchSecurity.snp': 'WorkloadEncryptionSEV',
  'domain.launchSecurity.tdx': 'WorkloadEncryptionTDX',
  'domain.memory.reservedOverhead.memLock': 'ReservedOverheadMemlock',
  'domain.rebootPolicy': 'RebootPolicy',
  'volumes[].containerPath': 'ContainerPathVolumes',
  'volumes[].downwardMetrics': 'DownwardMetrics',
  'volumes[].hostDisk': 'HostDisk',
};

/** Only for what is new: switching a gate off must not make stored objects unchangeable. */
export function validateGates(
  spec: VirtualMachineInstanceSpec,
  { featureGates }: ClusterConfig,
  at: string,
  report: Report,
): void {
  for (const [path, gate] of Object.entries(GATED_FIELDS)) {
    // What is refused anyway is refused once.
    if (featureGates.has(gate) || UNSUPPORTED_SPEC_FIELDS.some((field) => `${path}.`.startsWith(`${field}.`))) continue;
    for (const { field, value } of valuesAt(spec, path.split('.'), at)) {
      if (asksForSomething(value)) {
        report.invalid(
          field,
          `needs the feature gate ${gate}, which is not enabled: add it to spec.configuration.developerConfiguration.featureGates of the KubeVirt object`,
        );
      }
    }
  }
}
