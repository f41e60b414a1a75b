import { seconds, spread } from './samples.ts';

test.each([
  [[3000], '3.00 / 3.00 / 3.00'],
  [[1000, 4000], '1.00 / 2.50 / 4.00'],
  [[5000, 1000, 2000], '1.00 / 2.00 / 5.00'],
])('%j spreads as %s', (samples, text) => {
  expect(seconds(spread(samples))).toBe(text);
});

test('no measurement is no zero', () => {
  expect(() => spread([])).toThrow('nothing was measured');
});
