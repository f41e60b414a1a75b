const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds of a metav1.Duration, such as `5m` or `1h30m0.5s`; undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!TEXT.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(PART)) milliseconds += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return text.startsWith('-') ? -milliseconds : milliseconds;
}
