import { ArpQuestion, type ArpVerdict, needsUse, parseNeighbour } from './neighbour.ts';

type Look = [state: string | undefined, confirmedSeconds: number, elapsedMs: number];

/** What the last of some looks at the table says; all before it must have said `pending`. */
function course(before: string | undefined, ...looks: Look[]): ArpVerdict {
  const entry = (state: string | undefined, confirmedSeconds = 0) => state && { state, confirmedSeconds };
  const question = new ArpQuestion(entry(before) || undefined);
  const verdicts = looks.map(([state, age, elapsed]) => question.judge(entry(state, age) || undefined, elapsed));
  expect(verdicts.slice(0, -1)).toEqual(verdicts.slice(0, -1).map(() => 'pending'));
  return verdicts.at(-1) ?? 'pending';
}

test.each<[what: string, verdict: ArpVerdict, before: string | undefined, looks: Look[]]>([
  ['answers at once where nothing was known', 'answers', undefined, [['REACHABLE', 0, 400]]],
  [
    'answers once it is doubted',
    'answers',
    'STALE',
    [
      ['DELAY', 90, 400],
      ['PROBE', 91, 1200],
      ['REACHABLE', 0, 1600],
    ],
  ],
  ['has answered before the question', 'pending', 'REACHABLE', [['REACHABLE', 1, 400]]],
  [
    'has answered a second before the question, and then no more',
    'silent',
    'REACHABLE',
    [
      ['REACHABLE', 1, 400],
      ['REACHABLE', 2, 1200],
      ['STALE', 4, 3200],
      ['PROBE', 6, 5000],
      ['FAILED', 9, 8000],
    ],
  ],
  ['answers others meanwhile', 'answers', 'REACHABLE', [['REACHABLE', 0, 1200]]],
  [
    'is asked while it has not answered yet',
    'pending',
    'FAILED',
    [
      [undefined, 0, 400],
      ['INCOMPLETE', 0, 800],
    ],
  ],
  ['is known by hand alone', 'untold', 'PERMANENT', [['PERMANENT', 900, 400]]],
])('a guest that %s: %s', (_, verdict, before, looks) => {
  expect(course(before, ...looks)).toBe(verdict);
});

test('the table is read by address, and an empty one holds nobody', () => {
  const json =
    '[{"dst":"10.0.2.22","state":["FAILED"]},{"dst":"10.0.2.2","dev":"k6t-eth0","lladdr":"52:54:00:12:34:56","used":3,"confirmed":7,"updated":1,"probes":1,"state":["STALE"]}]';
  expect(parseNeighbour(json, '10.0.2.2')).toEqual({ state: 'STALE', confirmedSeconds: 7 });
  expect(parseNeighbour('', '10.0.2.2')).toBeUndefined();
});

test('the kernel is left alone while it asks by itself', () => {
  const states = ['REACHABLE', 'STALE', 'DELAY', 'PROBE', 'INCOMPLETE', 'FAILED'];
  expect(states.filter((state) => needsUse({ state, confirmedSeconds: 0 }))).toEqual(['REACHABLE', 'STALE']);
});
