import type { Observation } from '../observation.ts';
import { type Change, type Knowledge, takeChanges } from './changes.ts';
import { seen } from './testing.ts';

/** What the last of several looks at the layers says has changed. */
function changesAfter(...looks: Observation[][]): Change[] {
  const known: Knowledge = new Map();
  return looks.map((look) => takeChanges(known, look)).at(-1) ?? [];
}

const os = (part: Partial<Observation> = {}) =>
  seen({ layer: 'guest', field: 'os', value: 'Debian', source: 'guest-agent', ...part });
const unseen = { value: null, observedAt: null, freshness: 'never' } as const;

test.each<[string, Observation[][], Partial<Change>[]]>([
  ['the first value is a change from nothing', [[seen()]], [{ field: 'state', old: null, new: 'running' }]],
  ['a field that is known to be empty is none', [[seen({ field: 'shutdownRequestedAt', value: null })]], []],
  ['the same again is none', [[seen()], [seen({ observedAt: '2026-11-30T12:00:09Z' })]], []],
  ['another value is one', [[seen()], [seen({ value: 'paused' })]], [{ old: 'running', new: 'paused' }]],
  ['a list in another order is another value', [[seen({ value: ['a', 'b'] })], [seen({ value: ['b', 'a'] })]], [{}]],
  ['a measure goes on by itself', [[os({ field: 'load', value: [1] })], [os({ field: 'load', value: [2] })]], []],
  [
    'that a measure is no longer told is a change',
    [[os({ field: 'agent.lastSuccess', value: 'T1' })], [os({ field: 'agent.lastSuccess', freshness: 'stale' })]],
    [{ field: 'agent.lastSuccess', old: null, new: null, freshness: { old: 'live', new: 'stale' } }],
  ],
  [
    'a source that fails, in its own words',
    [[os()], [os({ freshness: 'stale', error: 'timed\nout' })]],
    [{ old: 'Debian', new: 'Debian', freshness: { old: 'live', new: 'stale' }, error: 'timed out' }],
  ],
  ['what nobody has asked for yet changes nothing', [[os()], [os(unseen)]], []],
  ['and does not make the next answer a change', [[os()], [os(unseen)], [os()]], []],
  [
    'a value that came back fresher',
    [[os({ freshness: 'lost' })], [os()]],
    [{ freshness: { old: 'lost', new: 'live' } }],
  ],
  [
    'a value and its freshness at once are one change',
    [[os()], [os({ value: 'Fedora', freshness: 'stale' })]],
    [{ old: 'Debian', new: 'Fedora', freshness: { old: 'live', new: 'stale' } }],
  ],
  [
    'what cannot be had is told once',
    [[os({ value: null, freshness: 'unsupported' })]],
    [{ freshness: { old: 'never', new: 'unsupported' } }],
  ],
  [
    'a field that its source no longer names is gone',
    [[seen(), seen({ field: 'ioError.data', value: 'enospc' })], [seen()]],
    [{ field: 'ioError.data', old: 'enospc', new: null }],
  ],
  ['unless that source is not heard of', [[seen(), os()], [seen()]], []],
  [
    'nor where it has only old words',
    [[seen(), seen({ field: 'x' })], [seen({ freshness: 'stale' })]],
    [{ field: 'state' }],
  ],
  [
    'fields of one source that age together are one change',
    [
      [seen(), seen({ field: 'reason', value: 'booted' }), os()],
      [
        seen({ freshness: 'stale' }),
        seen({ field: 'reason', value: 'booted', freshness: 'stale', error: 'no answer' }),
        os({ freshness: 'lost' }),
      ],
    ],
    [
      { field: 'state', also: ['reason'], freshness: { old: 'live', new: 'stale' }, error: 'no answer' },
      { field: 'os', freshness: { old: 'live', new: 'lost' } },
    ],
  ],
])('%s', (_, looks, expected) => {
  expect(changesAfter(...looks)).toEqual(expected.map((change) => expect.objectContaining(change)));
});

test('a long value is cut, and the same long value is no change', () => {
  const long = seen({ value: 'x'.repeat(5000) });
  expect(JSON.stringify(changesAfter([long])).length).toBeLessThan(500);
  expect(changesAfter([long], [long])).toEqual([]);
});
