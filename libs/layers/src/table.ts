import { type JsonValue, layers, type Observation } from './observation.ts';
import { oneLine } from './one-line.ts';
import type { LayersReport } from './report.ts';

const header = ['LAYER', 'FIELD', 'VALUE', 'SOURCE', 'AGE', 'FRESHNESS'];

/** The report as plain text in aligned columns, far layers first; what a source failed with stands behind its freshness. */
export function renderLayers(report: LayersReport): string {
  const now = Date.parse(report.generatedAt);
  const rows = [...report.observations]
    .sort((a, b) => layers.indexOf(a.layer) - layers.indexOf(b.layer))
    .map((observation) => row(observation, now));
  return aligned([header, ...rows]);
}

/** What the object shows beside what its sources say now, and how far it is behind; empty without a comparison. */
export function renderStatus({ status = [] }: LayersReport): string {
  if (status.length === 0) return '';
  const rows = status.map(({ field, shown, source, now, agrees, lagSeconds }) => [
    field,
    formatValue(shown),
    formatValue(now),
    source,
    agrees ? 'none' : lagSeconds === null ? 'unknown' : formatAge(lagSeconds * 1000),
  ]);
  return aligned([['STATUS FIELD', 'SHOWN', 'SOURCE SAYS', 'SOURCE', 'LAG'], ...rows]);
}

/** Rows of cells in columns of the width of their widest, and no narrower than `least`. */
export function aligned(rows: readonly (readonly string[])[], least: readonly number[] = []): string {
  const widths = [...least];
  for (const cells of rows)
    cells.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function row(observation: Observation, now: number): string[] {
  const { layer, field, value, source, observedAt, freshness, error } = observation;
  return [
    layer,
    oneLine(field),
    formatValue(value),
    source,
    observedAt === null ? '-' : formatAge(now - Date.parse(observedAt)),
    error === undefined ? freshness : `${freshness}: ${oneLine(error)}`,
  ];
}

/** A value in one line, for a person. */
export function formatValue(value: JsonValue): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(formatValue).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([key, inner]) => `${oneLine(key)}=${formatValue(inner)}`)
      .join(' ');
  }
  return value === '' ? '""' : oneLine(String(value));
}

/** A duration as kubectl writes one: `850ms`, `12s`, `3m20s`, `4h5m`, `2d3h`. */
export function formatAge(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))}ms`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${seconds % 60 === 0 ? '' : `${seconds % 60}s`}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${minutes % 60 === 0 ? '' : `${minutes % 60}m`}`;
  return `${Math.floor(hours / 24)}d${hours % 24 === 0 ? '' : `${hours % 24}h`}`;
}
