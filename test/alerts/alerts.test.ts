import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run } from '../e2e/support/shell.ts';

const root = join(import.meta.dirname, '../..');
const rulesFile = join(root, 'charts/yagura/files/alerts.yaml');
const runbooks = join(root, 'docs/runbooks');

const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: { alert: string; expr: string }[] }[] };
const rules = groups.flatMap((group) => group.rules);
const documented = new Set(
  readFileSync(join(root, 'docs/metrics.md'), 'utf8').match(/(?<=^\| `)[a-z_0-9]+(?=` \|)/gm) ?? [],
);

/** Series that an expression reads, without the suffixes of a histogram's. */
const seriesIn = (expression: string): string[] =>
  (expression.match(/\b(?:kubevirt|yagura)_[a-z_0-9]+/g) ?? []).map((name) => name.replace(/_(bucket|sum|count)$/, ''));

test('Prometheus calls whom it should, and nobody else', async () => {
  const { code, stdout, stderr } = await run('promtool', ['test', 'rules', join(import.meta.dirname, 'alerts.yaml')]);
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
});

test('every alert has its case, and its page', () => {
  const cases = readFileSync(join(import.meta.dirname, 'alerts.yaml'), 'utf8');
  expect(rules.map(({ alert }) => alert).filter((alert) => !cases.includes(`alertname: ${alert}\n`))).toEqual([]);
  expect(rules.map(({ alert }) => alert).filter((alert) => !existsSync(join(runbooks, `${alert}.md`)))).toEqual([]);
  expect(readdirSync(runbooks).sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
});

test('alerts and dashboard read only series that are exported', () => {
  const dashboard = readFileSync(join(root, 'charts/yagura/files/dashboard.json'), 'utf8');
  const read = [...rules.flatMap(({ expr }) => seriesIn(expr)), ...seriesIn(dashboard)];
  expect(documented.size).toBeGreaterThan(50);
  expect([...new Set(read)].filter((name) => !documented.has(name))).toEqual([]);
});
