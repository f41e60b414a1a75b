import { counter, gauge, registerFamilies } from './families.ts';
import { Registry } from './metrics.ts';

const FAMILIES = { seen: counter('test_seen_total', 'Seen.'), age: gauge('test_age_seconds', 'Age.') };

test('all families are read once a scrape, and scrapes at the same time share it', async () => {
  const registry = new Registry();
  let reads = 0;
  registerFamilies(registry, Object.values(FAMILIES), async () => {
    reads += 1;
    return [
      { family: FAMILIES.seen, labels: { name: 'a"b', empty: '', absent: undefined }, value: 3 },
      { family: FAMILIES.age, labels: { name: 'a' }, value: 0.5 },
    ];
  });
  const [text] = await Promise.all([registry.metrics(), registry.metrics()]);
  expect(reads).toBe(1);
  expect(text).toBe(
    [
      '# HELP test_seen_total Seen.',
      '# TYPE test_seen_total counter',
      'test_seen_total{name="a\\"b"} 3',
      '',
      '# HELP test_age_seconds Age.',
      '# TYPE test_age_seconds gauge',
      'test_age_seconds{name="a"} 0.5',
      '',
    ].join('\n'),
  );
  await registry.metrics();
  expect(reads).toBe(2);
});

test('a series that is read no more is gone', async () => {
  const registry = new Registry();
  let there = true;
  registerFamilies(registry, Object.values(FAMILIES), () =>
    there ? [{ family: FAMILIES.age, labels: {}, value: 1 }] : [],
  );
  expect(await registry.metrics()).toContain('test_age_seconds 1');
  there = false;
  expect(await registry.metrics()).not.toContain('test_age_seconds 1');
});
