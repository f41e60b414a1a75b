import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '@prometheus-io/client';

const PAGE = join(import.meta.dirname, '../../../../docs/metrics.md');

/** Name, type and labels in braces of each series that docs/metrics.md lists for a component, sorted by name. */
export function documentedMetrics(component: string): { name: string; type: string }[] {
  const section = readFileSync(PAGE, 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${component}\n`));
  const rows = (section ?? '').matchAll(/^\| `([a-z_0-9]+)` \| (\w+) \|/gm);
  return sorted([...rows].map(([, name = '', type = '']) => ({ name, type })));
}

/** The same of a registry, without what every process has. */
export function exportedMetrics(registry: Registry): { name: string; type: string }[] {
  const own = registry.getMetricsAsArray().filter(({ name }) => !/^(process|nodejs)_/.test(name));
  return sorted(own.map((metric) => ({ name: metric.name, type: typeOf(metric) })));
}

/** The client's own metrics know their type by their class only. */
function typeOf(metric: { type?: unknown; constructor: { name: string } }): string {
  return typeof metric.type === 'string' ? metric.type : metric.constructor.name.toLowerCase();
}

function sorted(metrics: { name: string; type: string }[]): { name: string; type: string }[] {
  return metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
