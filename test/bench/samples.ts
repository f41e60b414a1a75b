/** Smallest, middle and largest of some measurements. */
export interface Spread {
  min: number;
  median: number;
  max: number;
  count: number;
}

export function spread(samples: readonly number[]): Spread {
  if (samples.length === 0) throw new Error('nothing was measured');
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] as number;
  const middle = sorted.length / 2;
  const median = Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
  return { min: at(0), median, max: at(sorted.length - 1), count: sorted.length };
}

/** `min / median / max` in seconds, from milliseconds. */
export const seconds = ({ min, median, max }: Spread): string =>
  [min, median, max].map((value) => (value / 1000).toFixed(2)).join(' / ');
