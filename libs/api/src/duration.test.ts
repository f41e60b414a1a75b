import { parseDuration } from './duration.ts';

test.each([
  ['5m', 300_000],
  ['5m0s', 300_000],
  ['1h30m0.5s', 5_400_500],
  ['250ms', 250],
  ['1500us', 1.5],
  ['.5s', 500],
  ['-10s', -10_000],
  ['0', 0],
  ['0s', 0],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
});

test.each(['', '5', '5 m', '5m30', 'm', '1d', 'five minutes'])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
