import fc from 'fast-check';
import { quantityBytes } from './quantity.ts';

describe('a quantity', () => {
  test.each<[string, bigint]>([
    ['128Mi', 134_217_728n],
    ['1G', 1_000_000_000n],
    ['1.5Gi', 1_610_612_736n],
    ['1e3', 1000n],
    ['2E', 2_000_000_000_000_000_000n],
    ['1500m', 2n],
    ['100m', 1n],
    ['0', 0n],
    ['7.', 7n],
    ['16Ei', 18_446_744_073_709_551_616n],
  ])('%s is %d', (text, bytes) => {
    expect(quantityBytes('f', text)).toBe(bytes);
  });

  test.each(['', 'x', '-1', '1MB', '1 Gi', '1Gi ', '.'])('%j is refused with the name of its field', (text) => {
    expect(() => quantityBytes('spec.x', text)).toThrow(/^spec\.x: /);
  });

  test('of whole bytes is those bytes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), (n) => expect(quantityBytes('f', String(n))).toBe(n)),
    );
  });
});
