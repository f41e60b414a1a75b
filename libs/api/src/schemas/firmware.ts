import type { Static } from 'typebox';
import { IMAGE_PULL_POLICIES } from '../words.ts';
import { bool, marker, object, oneOf, str } from './build.ts';

export const KernelBootSchema = object('Boots a kernel directly, without a boot loader on a disk.', {
  kernelArgs: str('Command line of the kernel.'),
  container: object(
    'The OCI image that holds kernel and initrd.',
    {
      imagePullSecret: str('Name of the secret with the credentials of the registry.'),
      imagePullPolicy: oneOf('When the image is pulled.', IMAGE_PULL_POLICIES),
      kernelPath: str('Absolute path of the kernel in the image.'),
      initrdPath: str('Absolute path of the initrd in the image.'),
    },
    { image: str('The OCI image.') },
  ),
});
export type KernelBoot = Static<typeof KernelBootSchema>;

export const FirmwareSchema = object('Firmware of the virtual machine.', {
  uuid: str('UUID the guest sees in SMBIOS; also the UUID of the libvirt domain. Random if unset.'),
  serial: str('System serial number the guest sees in SMBIOS.'),
  bootloader: object('Firmware that boots the guest: bios (the default) or efi.', {
    bios: object('SeaBIOS.', { useSerial: bool('Shows the output of the BIOS on the serial console.') }),
    efi: object('OVMF.', {
      secureBoot: bool('Secure boot; on if unset, and then features.smm must be on.'),
      persistent: bool('Keeps the EFI variables when the guest is stopped.'),
    }),
  }),
  kernelBoot: KernelBootSchema,
  acpi: object('ACPI tables given to the guest, by the name of a secret volume.', {
    slicNameRef: str('Volume with the SLIC table.'),
    msdmNameRef: str('Volume with the MSDM table.'),
  }),
});
export type Firmware = Static<typeof FirmwareSchema>;

export const ChassisSchema = object('Chassis the guest sees in SMBIOS.', {
  manufacturer: str('Manufacturer.'),
  version: str('Version.'),
  serial: str('Serial number.'),
  asset: str('Asset tag.'),
  sku: str('SKU.'),
});

export const LaunchSecuritySchema = object('Confidential computing; exactly one kind is set.', {
  sev: object('AMD SEV.', {
    policy: object('Guest policy.', { encryptedState: bool('Encrypts the state of the CPU too (SEV-ES).') }),
    attestation: marker('Starts the guest paused, for attestation.'),
    session: str('Session blob in base64.'),
    dhCert: str("Guest owner's Diffie-Hellman key in base64."),
  }),
  snp: object('AMD SEV-SNP.', { policy: str('Guest policy as a hexadecimal number.') }),
  tdx: marker('Intel TDX.'),
});
