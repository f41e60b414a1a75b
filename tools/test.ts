// `npm test [SUITE …]`: every suite but those on demand, or the named ones, each within its share of the time.
import { add, type Counts, closingLine, none } from './test/counts.ts';
import { onDemand, type Suite, suites } from './test/suites.ts';

function wanted(names: string[]): Suite[] {
  const all = [...suites, ...onDemand];
  const unknown = names.filter((name) => !all.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(`no suite called ${unknown.join(', ')}; there are: ${all.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? suites : all.filter(({ name }) => names.includes(name));
}

let total: Counts = none;
const lines: string[] = [];
for (const suite of wanted(process.argv.slice(2))) {
  console.log(`\n── ${suite.name} (share: ${suite.shareMinutes} min)`);
  const start = Date.now();
  let counts = await suite.run().catch((error: unknown): Counts => {
    console.error(error);
    return { passed: 0, failed: 1, skipped: 0 };
  });
  const minutes = (Date.now() - start) / 60_000;
  const over = minutes > suite.shareMinutes;
  if (over) counts = add(counts, { passed: 0, failed: 1, skipped: 0 });
  total = add(total, counts);
  const time = `${minutes.toFixed(1)} of ${suite.shareMinutes} min${over ? ', OVER ITS SHARE' : ''}`;
  lines.push(`${counts.failed === 0 ? '✓' : '✗'} ${suite.name}: ${closingLine(counts)} (${time})`);
}
console.log(`\n${lines.join('\n')}\n\n${closingLine(total)}`);
process.exit(total.failed === 0 ? 0 : 1);
