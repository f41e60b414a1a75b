import type { Quantity } from './schemas/build.ts';

/**
 * Kubernetes quantities, exact: whole numbers of 10^-9, which is the finest step Kubernetes keeps. What is finer is
 * rounded away from zero, as Kubernetes does, so that a request never becomes smaller than what was asked for.
 */

export class QuantityError extends Error {
  override readonly name = 'QuantityError';

  constructor(quantity: unknown) {
    super(`${JSON.stringify(quantity)} is not a quantity like 128Mi, 2G, 500m or 4`);
  }
}

const PATTERN = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;
const NANO = 10n ** 9n;
/** More digits than any quantity has, and few enough to be reckoned with at once. */
const MAX_LENGTH = 64;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

type Notation = 'binary' | 'decimal' | 'exponent';

interface Parsed {
  nano: bigint;
  notation: Notation;
}

function parse(quantity: unknown): Parsed {
  const text = typeof quantity === 'number' && Number.isFinite(quantity) ? String(quantity) : quantity;
  const match = typeof text === 'string' && text.length <= MAX_LENGTH ? PATTERN.exec(text) : null;
  if (!match) throw new QuantityError(quantity);
  const [, sign, digits = '', binary, decimal, exponent] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  let numerator = BigInt(whole + fraction || '0') * NANO;
  let denominator = 10n ** BigInt(fraction.length);
  if (binary !== undefined) {
    numerator *= 1024n ** BigInt(BINARY.indexOf(binary as (typeof BINARY)[number]));
  } else {
    const power =
      exponent !== undefined
        ? Number(exponent)
        : 3 * (DECIMAL.indexOf((decimal ?? '') as (typeof DECIMAL)[number]) - 3);
    if (power >= 0) numerator *= 10n ** BigInt(power);
    else denominator *= 10n ** BigInt(-power);
  }
  const nano = divideUp(numerator, denominator);
  const notation = binary !== undefined ? 'binary' : exponent !== undefined ? 'exponent' : 'decimal';
  return { nano: sign === '-' ? -nano : nano, notation };
}

/** In units of 10^-9. */
export function quantityNanos(quantity: Quantity): bigint {
  return parse(quantity).nano;
}

/** In whole units (bytes, CPUs), rounded away from zero. */
export function quantityValue(quantity: Quantity): bigint {
  return divideAway(parse(quantity).nano, NANO);
}

/** In thousandths (millicores), rounded away from zero. */
export function quantityMillis(quantity: Quantity): bigint {
  return divideAway(parse(quantity).nano, 1_000_000n);
}

export function isQuantity(quantity: unknown): quantity is Quantity {
  try {
    parse(quantity);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const difference = quantityNanos(a) - quantityNanos(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The quantity in the one spelling that the API server would write. */
export function canonicalQuantity(quantity: Quantity): string {
  const { nano, notation } = parse(quantity);
  const magnitude = nano < 0n ? -nano : nano;
  if (notation === 'binary' && magnitude >= 1024n * NANO && magnitude % NANO === 0n) return binaryQuantity(nano / NANO);
  return decimalText(nano, notation === 'exponent');
}

/** Bytes as text, such as 128Mi: the largest binary unit that leaves a whole number. */
export function binaryQuantity(bytes: bigint): string {
  let [value, unit] = [bytes, 0];
  while (value !== 0n && value % 1024n === 0n && unit < BINARY.length - 1) [value, unit] = [value / 1024n, unit + 1];
  return `${value}${BINARY[unit]}`;
}

/** Thousandths as text, such as 100m or 2. */
export function milliQuantity(millis: bigint): string {
  return decimalText(millis * 1_000_000n, false);
}

function decimalText(nano: bigint, asExponent: boolean): string {
  if (nano === 0n) return '0';
  let [value, unit] = [nano, 0];
  while (value % 1000n === 0n && unit < DECIMAL.length - 1) [value, unit] = [value / 1000n, unit + 1];
  if (!asExponent) return `${value}${DECIMAL[unit]}`;
  const power = 3 * (unit - 3);
  return power === 0 ? `${value}` : `${value}e${power}`;
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function divideAway(value: bigint, divisor: bigint): bigint {
  return value < 0n ? -divideUp(-value, divisor) : divideUp(value, divisor);
}
