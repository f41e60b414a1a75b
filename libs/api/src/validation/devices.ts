import type { VirtualMachineInstanceSpec } from '../types.ts';
import { WATCHDOG_ACTIONS } from '../words.ts';
import type { Report } from './report.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Devices without storage or network, and the firmware. */
export function validateDevices(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { devices, firmware, features, clock } = spec.domain;
  devices.inputs?.forEach((input, index) => {
    const field = `${at}.domain.devices.inputs[${index}]`;
    report.oneOf(`${field}.bus`, input.bus, ['usb', 'virtio']);
    if (input.type !== 'tablet') report.invalid(`${field}.type`, `is "${input.type}"; only tablet is supported`);
  });
  if (devices.watchdog?.i6300esb) {
    report.oneOf(`${at}.domain.devices.watchdog.i6300esb.action`, devices.watchdog.i6300esb.action, WATCHDOG_ACTIONS);
  }
  if (firmware?.uuid && !UUID.test(firmware.uuid))
    report.invalid(`${at}.domain.firmware.uuid`, `is "${firmware.uuid}", which is not a UUID`);
  const { efi, bios } = firmware?.bootloader ?? {};
  if (efi && bios) report.invalid(`${at}.domain.firmware.bootloader`, 'is efi and bios at once; choose one');
  if (efi && efi.secureBoot !== false && features?.smm?.enabled !== true) {
    report.invalid(
      `${at}.domain.firmware.bootloader.efi.secureBoot`,
      `needs ${at}.domain.features.smm.enabled to be true`,
    );
  }
  if (clock?.utc && clock.timezone) report.invalid(`${at}.domain.clock`, 'is utc and timezone at once; choose one');
}
