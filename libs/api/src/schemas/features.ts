import type { Static } from 'typebox';
import { bool, int32, object, oneOf, str } from './build.ts';

const onOff = (description: string) =>
  object(description, { enabled: bool('On if unset while the feature itself is given.') });

const direct = (description: string) =>
  object(description, {
    enabled: bool('On if unset while the feature itself is given.'),
    direct: onOff('The direct variant.'),
  });

const HypervSchema = object('Enlightenments for Windows guests.', {
  relaxed: onOff('Relaxed timing.'),
  vapic: onOff('Virtual APIC.'),
  spinlocks: object('Spinlock retries before the host is told.', {
    enabled: bool('On if unset while the feature itself is given.'),
    spinlocks: int32('Retries; 4096 if unset.'),
  }),
  vpindex: onOff('Virtual processor index.'),
  runtime: onOff('Processor runtime counters.'),
  synic: onOff('Synthetic interrupt controller; needs vpindex.'),
  synictimer: direct('Synthetic timers; needs synic.'),
  reset: onOff('Reset by hypercall.'),
  vendorid: object('Vendor the guest sees.', {
    enabled: bool('On if unset while the feature itself is given.'),
    vendorid: str('Up to twelve characters.'),
  }),
  frequencies: onOff('TSC and APIC frequencies.'),
  reenlightenment: onOff('Notice of a TSC frequency change at migration.'),
  tlbflush: object('TLB flush by hypercall; needs vpindex.', {
    enabled: bool('On if unset while the feature itself is given.'),
    direct: onOff('The direct variant.'),
    extended: onOff('The extended variant.'),
  }),
  ipi: onOff('Interrupts between processors by hypercall; needs vpindex.'),
  evmcs: onOff('Enlightened VMCS for nested guests; needs vapic.'),
});

export const FeaturesSchema = object('Features of the virtual machine.', {
  acpi: onOff('ACPI; on by default.'),
  apic: object('Local APIC.', {
    enabled: bool('On if unset while the feature itself is given.'),
    endOfInterrupt: bool('Paravirtual end of interrupt.'),
  }),
  smm: onOff('System management mode; secure boot needs it.'),
  kvm: object('What the guest learns about KVM.', { hidden: bool('Hides KVM from the guest.') }),
  pvspinlock: onOff('Paravirtual spinlocks.'),
  hyperv: HypervSchema,
  hypervPassthrough: onOff('All enlightenments the host supports; makes the guest unmigratable.'),
});
export type Features = Static<typeof FeaturesSchema>;
export type Hyperv = Static<typeof HypervSchema>;

const timer = <const P extends string>(description: string, policies: readonly P[]) =>
  object(description, {
    present: bool('Whether the guest has it.'),
    tickPolicy: oneOf('What happens to ticks the guest missed.', policies),
  });

export const ClockSchema = object('Clock and timers of the guest.', {
  utc: object('The clock is kept in UTC.', { offsetSeconds: int32('Seconds added to UTC.') }),
  timezone: str('The clock is kept in the local time of this zone, such as Europe/Lisbon.'),
  timer: object('Timers; the ones left out follow the machine type.', {
    hpet: timer('High precision event timer.', ['delay', 'catchup', 'merge', 'discard']),
    kvm: object('KVM clock.', { present: bool('Whether the guest has it.') }),
    pit: timer('Programmable interval timer.', ['delay', 'catchup', 'discard']),
    rtc: object('Real time clock.', {
      present: bool('Whether the guest has it.'),
      tickPolicy: oneOf('What happens to ticks the guest missed.', ['delay', 'catchup']),
      track: oneOf('What the clock follows.', ['guest', 'wall']),
    }),
    hyperv: object('Hyper-V reference counter.', { present: bool('Whether the guest has it.') }),
  }),
});
export type Clock = Static<typeof ClockSchema>;
