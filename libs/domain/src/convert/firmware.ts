import { ConversionError } from '../errors.ts';
import type { EfiModel, OsModel } from '../model.ts';
import type { DomainSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';

/** Machine type, and what boots the guest. */
export function osModel(domain: DomainSpec, uid: string, options: ConversionOptions): OsModel {
  const { bios, efi } = domain.firmware?.bootloader ?? {};
  return {
    machine: domain.machine?.type || 'q35',
    kernel: kernel(domain, options),
    biosUseSerial: bios?.useSerial === true,
    efi: efi === undefined ? undefined : efiModel(domain, uid, options),
  };
}

/** The build with secure boot keeps its variables from the guest's kernel by system management mode. */
function efiModel(domain: DomainSpec, uid: string, options: ConversionOptions): EfiModel {
  const field = 'spec.domain.firmware.bootloader.efi';
  const { secureBoot, persistent } = domain.firmware?.bootloader?.efi ?? {};
  const { firmwareDirectory: directory, privateDirectory } = options;
  if (persistent === true) {
    throw new ConversionError(`${field}.persistent`, 'needs storage that outlives the pod, which is not supported yet');
  }
  if (directory === undefined) throw new ConversionError(field, 'this node knows no directory with UEFI firmware');
  const secure = secureBoot !== false;
  const { smm } = domain.features ?? {};
  if (secure && (smm === undefined || smm.enabled === false)) {
    throw new ConversionError(`${field}.secureBoot`, 'needs spec.domain.features.smm.enabled to be true');
  }
  const build = secure ? '.secboot' : '';
  return {
    secure,
    loader: `${directory}/OVMF_CODE${build}.fd`,
    template: `${directory}/OVMF_VARS${build}.fd`,
    variables: `${privateDirectory}/${uid}/efi-variables.fd`,
  };
}

function kernel(domain: DomainSpec, options: ConversionOptions): OsModel['kernel'] {
  const boot = domain.firmware?.kernelBoot;
  if (boot?.container === undefined) {
    if (boot?.kernelArgs) {
      throw new ConversionError(
        'spec.domain.firmware.kernelBoot.kernelArgs',
        'kernel arguments need a kernel container',
      );
    }
    return undefined;
  }
  if (options.kernelBoot === undefined) {
    throw new ConversionError('spec.domain.firmware.kernelBoot.container', 'its kernel is not there yet');
  }
  const { kernelPath, initrdPath } = options.kernelBoot;
  return { path: kernelPath, initrdPath, commandLine: boot.kernelArgs || undefined };
}
