import type { DomainStats } from '@yagura/libvirt';

export interface CpuUseView {
  at: Date;
  /** Seconds of CPU a second, over all virtual CPUs. */
  secondsPerSecond: number;
  /** libvirt did not tell the virtual CPUs apart: the figure is that of all of QEMU. */
  wholeProcess: boolean;
}

interface Reading {
  nanoseconds: bigint;
  wholeProcess: boolean;
}

/** How much CPU the guest takes, from the difference of two samples. */
export class CpuMeter {
  #last: (Reading & { monotonicMs: number }) | undefined;
  #view: CpuUseView | undefined;

  get view(): CpuUseView | undefined {
    return this.#view;
  }

  /** @param monotonicMs when the sample was taken, on a clock that nobody sets */
  note(stats: DomainStats, monotonicMs = performance.now()): void {
    const reading = readingOf(stats);
    const last = this.#last;
    this.#last = reading && { ...reading, monotonicMs };
    if (reading === undefined || last === undefined || last.wholeProcess !== reading.wholeProcess) return;
    const seconds = Number(reading.nanoseconds - last.nanoseconds) / 1e9;
    const elapsed = (monotonicMs - last.monotonicMs) / 1000;
    // Another QEMU, or a virtual CPU less.
    if (seconds < 0 || elapsed <= 0) return;
    this.#view = { at: new Date(), secondsPerSecond: seconds / elapsed, wholeProcess: reading.wholeProcess };
  }
}

function readingOf({ cpu, vcpu }: DomainStats): Reading | undefined {
  const times = (vcpu?.vcpus ?? []).filter(({ state }) => state !== 'offline').map(({ time }) => time);
  // libvirt says 0 of virtual CPUs whose thread it does not know.
  const known = times.filter((time): time is bigint => time !== undefined && time > 0n);
  if (known.length > 0 && known.length === times.length)
    return { nanoseconds: known.reduce((sum, time) => sum + time, 0n), wholeProcess: false };
  return cpu?.time === undefined ? undefined : { nanoseconds: cpu.time, wholeProcess: true };
}
