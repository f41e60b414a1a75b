import type { Family, Series, SeriesLabels } from '@yagura/runtime/metrics';

/** -1 as libvirt and QEMU write it into an unsigned field, and whatever else no machine can have counted. */
const NO_FIGURE = 2n ** 63n;

/** The series of a figure; none when nobody said the figure. `scale` is what one of its units is in the family's. */
export function figure(
  family: Family,
  value: bigint | number | undefined,
  labels: SeriesLabels = {},
  scale = 1,
): Series[] {
  if (value === undefined || (typeof value === 'bigint' && value >= NO_FIGURE)) return [];
  const number = Number(value);
  return Number.isFinite(number) ? [{ family, labels, value: number * scale }] : [];
}

/** A time in nanoseconds, as seconds. */
export function nanoseconds(family: Family, value: bigint | undefined, labels: SeriesLabels = {}): Series[] {
  // Divided, not multiplied: 1e-9 is no number that a computer has.
  return figure(family, value, labels).map((series) => ({ ...series, value: series.value / 1e9 }));
}

/** A size in KiB, as bytes. */
export function kibibytes(family: Family, value: bigint | undefined, labels: SeriesLabels = {}): Series[] {
  return figure(family, value, labels, 1024);
}
