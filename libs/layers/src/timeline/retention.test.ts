import fc from 'fast-check';
import { type SpooledRun, toForget } from './retention.ts';

const DAY = 86_400_000;
const now = 100 * DAY;
const run = (uid: string, ageDays: number, bytes = 10, name = 'demo'): SpooledRun => ({
  namespace: 'ns',
  name,
  uid,
  bytes,
  lastAt: now - ageDays * DAY,
});
const limits = { days: 7, runsOfName: 2, bytes: 100 };
const forgotten = (runs: SpooledRun[], recording: string[] = []) =>
  toForget(runs, (uid) => recording.includes(uid), now, limits).map(({ uid }) => uid);

test.each<[string, SpooledRun[], string[], string[]]>([
  ['what is young and small stays', [run('a', 1), run('b', 2)], [], []],
  ['what is too old goes', [run('a', 8), run('b', 6)], [], ['a']],
  ['unless it is being recorded', [run('a', 8)], ['a'], []],
  ['of many runs of a name the oldest go', [run('c', 3), run('a', 1), run('b', 2)], [], ['c']],
  ['and each name counts by itself', [run('c', 3, 10, 'other'), run('a', 1), run('b', 2)], [], []],
  ['of too much the oldest go', [run('a', 1, 60), run('b', 2, 60, 'other')], [], ['b']],
  ['what is being recorded takes room from the others', [run('a', 0, 95), run('b', 1, 10, 'other')], ['a'], ['b']],
])('%s', (_, runs, recording, expected) => {
  expect(forgotten(runs, recording)).toEqual(expected);
});

test('what is left keeps the limits', () => {
  const any = fc.array(fc.record({ days: fc.nat(10), bytes: fc.nat(60), name: fc.constantFrom('a', 'b') }));
  fc.assert(
    fc.property(any, (made) => {
      const runs = made.map(({ days, bytes, name }, index) => run(String(index), days, bytes, name));
      const left = runs.filter(({ uid }) => !forgotten(runs).includes(uid));
      expect(left.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.bytes);
      for (const name of ['a', 'b']) expect(left.filter((each) => each.name === name).length).toBeLessThanOrEqual(2);
      expect(left.every(({ lastAt }) => now - lastAt <= 7 * DAY)).toBe(true);
    }),
  );
});
