import { isOn } from '../hyperv.ts';
import type { VirtualMachineInstanceSpec } from '../types.ts';
import type { Report } from './report.ts';
import { validateImage, validatePath } from './volumes.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Identity, boot loader, and the kernel that is booted without one. */
export function validateFirmware(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { firmware, features } = spec.domain;
  const field = `${at}.domain.firmware`;
  if (firmware?.uuid && !UUID.test(firmware.uuid))
    report.invalid(`${field}.uuid`, `is "${firmware.uuid}", which is not a UUID`);
  const { efi, bios } = firmware?.bootloader ?? {};
  if (efi && bios) report.invalid(`${field}.bootloader`, 'is efi and bios at once; choose one');
  if (efi && efi.secureBoot !== false && !isOn(features?.smm)) {
    report.invalid(
      `${field}.bootloader.efi.secureBoot`,
      `needs ${at}.domain.features.smm.enabled to be true; set that, or secureBoot to false`,
    );
  }
  for (const key of ['slicNameRef', 'msdmNameRef'] as const) {
    const name = firmware?.acpi?.[key];
    if (name && !spec.volumes?.some((volume) => volume.name === name && volume.secret)) {
      report.invalid(`${field}.acpi.${key}`, `is "${name}", but ${at}.volumes has no secret of that name`);
    }
  }
  validateKernelBoot(spec, `${field}.kernelBoot`, report);
}

function validateKernelBoot(spec: VirtualMachineInstanceSpec, field: string, report: Report): void {
  const boot = spec.domain.firmware?.kernelBoot;
  if (!boot) return;
  const { container } = boot;
  if (boot.kernelArgs && !container?.kernelPath) {
    report.invalid(`${field}.kernelArgs`, `needs a kernel: ${field}.container.kernelPath is missing`);
  }
  if (!container) return;
  validateImage(container, `${field}.container`, report);
  if (!container.kernelPath && !container.initrdPath) {
    report.required(`${field}.container.kernelPath`, 'is missing: a kernel or an initrd must be named');
  }
  for (const key of ['kernelPath', 'initrdPath'] as const) {
    if (container[key]) validatePath(container[key], `${field}.container.${key}`, report);
  }
}
