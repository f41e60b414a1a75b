import { ConversionError } from '../errors.ts';
import type { DomainSpec } from '../vmi.ts';

/** Fields of the contract that change the machine and that the converter does not serve yet: never silently dropped. */
const DOMAIN_FIELDS = ['launchSecurity'];
const DEVICE_FIELDS = ['gpus', 'hostDevices', 'filesystems', 'clientPassthrough', 'downwardMetrics'];
const CPU_FIELDS = ['dedicatedCpuPlacement', 'isolateEmulatorThread', 'numa', 'realtime'];

export function refuseUnsupported(domain: DomainSpec): void {
  refuse('spec.domain', domain, DOMAIN_FIELDS);
  refuse('spec.domain.devices', domain.devices, DEVICE_FIELDS);
  refuse('spec.domain.cpu', domain.cpu, CPU_FIELDS);
}

function refuse(path: string, part: object | undefined, fields: readonly string[]): void {
  for (const [key, value] of Object.entries(part ?? {})) {
    const empty = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
    if (fields.includes(key) && !empty) throw new ConversionError(`${path}.${key}`, 'is not supported yet');
  }
}
