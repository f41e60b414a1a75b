import type { ClockModel, SystemTable } from '../model.ts';
import type { DomainSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';

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
