import { UsageError } from './errors.ts';
import { bytes, columns, parseFormat, render } from './output.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536, '1.5 KiB'],
  [20 * 1024 ** 3, '20.0 GiB'],
  [3 * 1024 ** 6, '3072.0 PiB'],
])('%d bytes are %s', (count, text) => {
  expect(bytes(count)).toBe(text);
});

test('columns are as wide as their widest cell, and lines end without blanks', () => {
  expect(
    columns(
      ['A', 'LONG'],
      [
        ['wide cell', 'x'],
        ['y', ''],
      ],
    ),
  ).toBe('A           LONG\nwide cell   x\ny\n');
});

test('the same value as JSON, YAML and for a person', () => {
  const table = (value: { a: number }) => `a is ${value.a}\n`;
  expect(render({ a: 1 }, 'json', table)).toBe('{\n  "a": 1\n}\n');
  expect(render({ a: 1 }, 'yaml', table)).toBe('a: 1\n');
  expect(render({ a: 1 }, 'table', table)).toBe('a is 1\n');
});

test('an unknown format is named', () => {
  expect(() => parseFormat('xml')).toThrow(new UsageError('output "xml" is unknown: choose table, json, yaml'));
});
