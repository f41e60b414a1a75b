import { HYPERV_NEEDS, isOn } from '../hyperv.ts';
import type { Clock, Hyperv, VirtualMachineInstanceSpec } from '../types.ts';
import { RTC_TICK_POLICIES, RTC_TRACKS, TIMER_TICK_POLICIES } from '../words.ts';
import type { Report } from './report.ts';

const VENDOR_ID = /^[^,]{0,12}$/;
const LEAST_SPINLOCKS = 4095;

/** Features of machine and clock. */
export function validateFeatures(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { features, clock } = spec.domain;
  const field = `${at}.domain.features`;
  if (features?.hyperv) validateHyperv(features.hyperv, `${field}.hyperv`, report);
  if (features?.hyperv && isOn(features.hypervPassthrough)) {
    report.invalid(
      `${field}.hypervPassthrough`,
      `takes what the host has, which leaves nothing to say to ${field}.hyperv`,
    );
  }
  if (clock) validateClock(clock, `${at}.domain.clock`, report);
}

function validateHyperv(hyperv: Hyperv, field: string, report: Report): void {
  for (const [name, needed] of HYPERV_NEEDS) {
    if (isOn(hyperv[name]) && hyperv[needed]?.enabled === false) {
      report.invalid(`${field}.${name}`, `is on, but '${name}' requires '${needed}', which was disabled.`);
    }
  }
  report.notBelow(`${field}.spinlocks.spinlocks`, hyperv.spinlocks?.spinlocks, LEAST_SPINLOCKS);
  if (!VENDOR_ID.test(hyperv.vendorid?.vendorid ?? '')) {
    report.invalid(`${field}.vendorid.vendorid`, 'must have at most 12 characters and no comma');
  }
}

function validateClock({ utc, timezone, timer }: Clock, field: string, report: Report): void {
  if (utc && timezone) report.invalid(field, 'is utc and timezone at once; choose one');
  report.oneOf(`${field}.timer.hpet.tickPolicy`, timer?.hpet?.tickPolicy, TIMER_TICK_POLICIES);
  report.oneOf(
    `${field}.timer.pit.tickPolicy`,
    timer?.pit?.tickPolicy,
    TIMER_TICK_POLICIES.filter((policy) => policy !== 'merge'),
  );
  report.oneOf(`${field}.timer.rtc.tickPolicy`, timer?.rtc?.tickPolicy, RTC_TICK_POLICIES);
  report.oneOf(`${field}.timer.rtc.track`, timer?.rtc?.track, RTC_TRACKS);
}
