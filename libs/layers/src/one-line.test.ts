import { oneLine, printable } from './one-line.ts';
import { formatValue } from './table.ts';

test.each([
  ['\u001b[2J\u009b1mroot\u0000', '\ufffd[2J\ufffd1mroot\ufffd'],
  [' two\r\n\tlines \u007f', 'two lines \ufffd'],
  ['Ünïcödé 🦄 →', 'Ünïcödé 🦄 →'],
])('%j is shown as %j', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

test('spaces stand as they are where a name is kept', () => {
  expect(printable('/mnt/a  b\n')).toBe('/mnt/a  b ');
});

test('names and values within a value are shown so too', () => {
  expect(formatValue({ '\u001b]0;': ['\u001bc'] })).toBe('\ufffd]0;=\ufffdc');
});
