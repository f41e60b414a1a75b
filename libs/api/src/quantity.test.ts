import fc from 'fast-check';
import {
  binaryQuantity,
  canonicalQuantity,
  compareQuantities,
  isQuantity,
  milliQuantity,
  QuantityError,
  quantityMillis,
  quantityNanos,
  quantityValue,
} from './quantity.ts';

test.each([
  ['0', 0n],
  [128, 128n],
  ['128Mi', 134_217_728n],
  ['1.5Gi', 1_610_612_736n],
  ['2G', 2_000_000_000n],
  ['1e3', 1000n],
  ['1E', 10n ** 18n],
  ['12e-1', 2n],
  ['500m', 1n],
  ['1n', 1n],
  ['0.1n', 1n],
  ['.5', 1n],
  ['5.', 5n],
  ['+3k', 3000n],
  ['-1500m', -2n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['16Ei', 18_446_744_073_709_551_616n],
])('%s is %s whole units, rounded away from zero', (quantity, value) => {
  expect(quantityValue(quantity)).toBe(value);
});

test.each(['', 'Mi', '1 Mi', '1mi', '1KI', '1Kb', '1.2.3', '.', '--1', '1e', '0x10', 'NaN', '1e1Mi'])(
  '"%s" is no quantity',
  (text) => {
    expect(isQuantity(text)).toBe(false);
    expect(() => quantityValue(text)).toThrow(QuantityError);
  },
);

test.each([[null], [undefined], [true], [Number.NaN], [Number.POSITIVE_INFINITY], [{}]])(
  '%s is no quantity',
  (value) => {
    expect(isQuantity(value)).toBe(false);
  },
);

test.each([
  ['1000m', '1'],
  ['0.5', '500m'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['0.5Ki', '512'],
  ['0.1Ki', '102400m'],
  ['1000000', '1M'],
  ['1e6', '1e6'],
  ['0Mi', '0'],
  ['-2000', '-2k'],
  [1000, '1k'],
])('%s is written %s', (quantity, canonical) => {
  expect(canonicalQuantity(quantity)).toBe(canonical);
});

test('millicores', () => {
  expect([quantityMillis('100m'), quantityMillis('1.5'), quantityMillis('1u')]).toEqual([100n, 1500n, 1n]);
  expect([milliQuantity(100n), milliQuantity(2000n), milliQuantity(0n)]).toEqual(['100m', '2', '0']);
});

const units = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'e3', 'E-2'];
const quantities = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat()), fc.constantFrom(...units))
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);

test('the canonical spelling means the same, and is its own canonical spelling', () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const canonical = canonicalQuantity(quantity);
      expect(quantityNanos(canonical)).toBe(quantityNanos(quantity));
      expect(canonicalQuantity(canonical)).toBe(canonical);
    }),
  );
});

test('bytes survive being written as text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), (bytes) => quantityValue(binaryQuantity(bytes)) === bytes),
  );
});

test('rounding never makes a quantity smaller, nor larger by a whole unit', () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const [value, nanos] = [quantityValue(quantity) * 10n ** 9n, quantityNanos(quantity)];
      const excess = nanos < 0n ? nanos - value : value - nanos;
      expect(excess >= 0n && excess < 10n ** 9n).toBe(true);
    }),
  );
});

test('comparison is that of the exact values', () => {
  expect(compareQuantities('1', '1000m')).toBe(0);
  fc.assert(
    fc.property(quantities, quantities, (a, b) => compareQuantities(a, b) === -compareQuantities(b, a) || a === b),
  );
});
