import { stringify } from 'yaml';
import { UsageError } from './errors.ts';

export const FORMATS = ['table', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export function parseFormat(text: string): Format {
  const format = FORMATS.find((candidate) => candidate === text);
  if (format === undefined) throw new UsageError(`output "${text}" is unknown: choose ${FORMATS.join(', ')}`);
  return format;
}

/** The value as text in the format asked for; `table` renders it for a person. */
export function render<T>(value: T, format: Format, table: (value: T) => string): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(value, null, 2)}\n`;
    case 'yaml':
      return stringify(value);
    case 'table':
      return table(value);
  }
}

/** Rows under a header in aligned columns, as kubectl prints them. */
export function columns(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('   ')
      .trimEnd();
  return [header, ...rows].map((cells) => `${line(cells)}\n`).join('');
}

/** A number of bytes in the largest binary unit that leaves at least one before the point. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${units[unit]}`;
}
