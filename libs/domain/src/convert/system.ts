import { ConversionError } from '../errors.ts';
import type { ClockModel, FeaturesModel, OsModel, SystemTable } from '../model.ts';
import { TCG_TB_CACHE_MEBIBYTES } from '../tcg.ts';
import type { DomainSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';

export function osModel(domain: DomainSpec, options: ConversionOptions): OsModel {
  const firmware = domain.firmware;
  if (firmware?.bootloader?.efi !== undefined) {
    throw new ConversionError('spec.domain.firmware.bootloader.efi', 'UEFI boot is not supported yet');
  }
  return {
    machine: domain.machine?.type || 'q35',
    kernel: kernel(domain, options),
    biosUseSerial: firmware?.bootloader?.bios?.useSerial === true,
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

/** What the guest reads by dmidecode: the instance's identity, then the cluster's vendor strings. */
export function systemTable(domain: DomainSpec, uuid: string | undefined, options: ConversionOptions): SystemTable {
  const vendor = options.systemInformation ?? {};
  const chassis = domain.chassis ?? {};
  return {
    system: entries({
      manufacturer: vendor.manufacturer,
      product: vendor.product,
      version: vendor.version,
      serial: domain.firmware?.serial,
      uuid,
      sku: vendor.sku,
      family: vendor.family,
    }),
    chassis: entries({
      manufacturer: chassis.manufacturer,
      version: chassis.version,
      serial: chassis.serial,
      asset: chassis.asset,
      sku: chassis.sku,
    }),
  };
}

function entries(values: Record<string, string | undefined>): [string, string][] {
  return Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]));
}

export function featuresModel(domain: DomainSpec, accelerator: 'kvm' | 'tcg'): FeaturesModel {
  const features = domain.features ?? {};
  for (const name of ['hyperv', 'hypervPassthrough'] as const) {
    if (features[name] !== undefined) {
      throw new ConversionError(`spec.domain.features.${name}`, 'Hyper-V enlightenments are not supported yet');
    }
  }
  const endOfInterrupt = features.apic?.endOfInterrupt;
  return {
    acpi: features.acpi?.enabled !== false,
    apic:
      features.apic === undefined || features.apic.enabled === false
        ? undefined
        : { eoi: endOfInterrupt === undefined ? undefined : onOff(endOfInterrupt) },
    smm: features.smm !== undefined && features.smm.enabled !== false,
    kvmHidden: features.kvm?.hidden === true,
    pvspinlock: features.pvspinlock === undefined ? undefined : onOff(features.pvspinlock.enabled !== false),
    tcgTbCacheMebibytes: accelerator === 'tcg' ? TCG_TB_CACHE_MEBIBYTES : undefined,
  };
}

function onOff(value: boolean): 'on' | 'off' {
  return value ? 'on' : 'off';
}

const TIMER_NAMES = { hpet: 'hpet', kvm: 'kvmclock', pit: 'pit', rtc: 'rtc', hyperv: 'hypervclock' } as const;

/** undefined leaves the clock to libvirt, which then says UTC. */
export function clockModel(domain: DomainSpec): ClockModel | undefined {
  const clock = domain.clock;
  if (clock === undefined) return undefined;
  const timers = Object.entries(TIMER_NAMES).flatMap(([key, name]) => {
    const timer: { present?: boolean; tickPolicy?: string; track?: string } | undefined =
      clock.timer?.[key as keyof typeof TIMER_NAMES];
    if (timer === undefined) return [];
    const present = timer.present === false ? ('no' as const) : ('yes' as const);
    return [{ name, present, tickPolicy: timer.tickPolicy || undefined, track: timer.track || undefined }];
  });
  if (clock.timezone) return { offset: 'timezone', timezone: clock.timezone, adjustmentSeconds: undefined, timers };
  const adjustmentSeconds = clock.utc?.offsetSeconds;
  const offset = adjustmentSeconds === undefined ? 'utc' : 'variable';
  return { offset, timezone: undefined, adjustmentSeconds, timers };
}
