import { ConversionError } from './errors.ts';

const POWERS: Record<string, [base: bigint, exponent: bigint]> = {
  '': [10n, 0n],
  k: [10n, 3n],
  M: [10n, 6n],
  G: [10n, 9n],
  T: [10n, 12n],
  P: [10n, 15n],
  E: [10n, 18n],
  Ki: [2n, 10n],
  Mi: [2n, 20n],
  Gi: [2n, 30n],
  Ti: [2n, 40n],
  Pi: [2n, 50n],
  Ei: [2n, 60n],
};
const FRACTIONS: Record<string, bigint> = { m: 1_000n, u: 1_000_000n, n: 1_000_000_000n };
const QUANTITY = /^\+?(\d+)(?:\.(\d*))?(?:([eE])([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/;

/** A Kubernetes quantity as a whole number, a fraction rounded up. Exact at any size. */
export function quantityBytes(field: string, quantity: string): bigint {
  const match = QUANTITY.exec(quantity);
  if (match === null) throw new ConversionError(field, `"${quantity}" is not a quantity like 128Mi or 2G`);
  const [, whole = '', decimals = '', , exponent, suffix = ''] = match;
  let numerator = BigInt(whole + decimals);
  let denominator = 10n ** BigInt(decimals.length);
  if (exponent !== undefined) {
    const power = Number(exponent);
    if (power >= 0) numerator *= 10n ** BigInt(power);
    else denominator *= 10n ** BigInt(-power);
  } else if (suffix in FRACTIONS) {
    denominator *= FRACTIONS[suffix] ?? 1n;
  } else {
    const [base, power] = POWERS[suffix] ?? [10n, 0n];
    numerator *= base ** power;
  }
  return (numerator + denominator - 1n) / denominator;
}
