import fc from 'fast-check';
import { freshness, observe, type Sample, type SourceState } from './observation.ts';

const now = new Date('2026-11-30T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const sample = (part: Partial<Sample>): Sample => ({
  layer: 'guest',
  field: 'os',
  value: 'Debian',
  source: 'guest-agent',
  maxAge: 10,
  state: 'answering',
  observedAt: ago(1),
  ...part,
});

test.each<[string, Partial<Sample>, string]>([
  ['a young value of an answering source is live', {}, 'live'],
  ['a value exactly as old as allowed is live', { observedAt: ago(10) }, 'live'],
  ['a value older than allowed is stale', { observedAt: ago(11) }, 'stale'],
  ['a watched value stays live however old it is', { maxAge: null, observedAt: ago(1e6) }, 'live'],
  ['a young value is stale once its source fails', { state: 'failing' }, 'stale'],
  ['a young value is lost once its source is gone', { state: 'gone' }, 'lost'],
  ['what was never seen is never, even when its source is gone', { observedAt: undefined, state: 'gone' }, 'never'],
  ['what the source cannot tell is unsupported', { state: 'unsupported' }, 'unsupported'],
])('%s', (_, part, expected) => {
  expect(freshness(sample(part), now)).toBe(expected);
});

test('a value that was never seen is served as null, not as what the sample happens to hold', () => {
  expect(observe(sample({ observedAt: undefined, value: 0 }), now)).toEqual({
    layer: 'guest',
    field: 'os',
    value: null,
    source: 'guest-agent',
    observedAt: null,
    maxAge: 10,
    freshness: 'never',
  });
});

test('a lost value keeps its last word and the error', () => {
  expect(observe(sample({ state: 'gone', error: 'channel closed' }), now)).toMatchObject({
    value: 'Debian',
    freshness: 'lost',
    error: 'channel closed',
  });
});

test('time alone never makes a value fresher', () => {
  const rank = { live: 0, stale: 1, lost: 2, never: 3, unsupported: 4 };
  const states: SourceState[] = ['answering', 'failing', 'gone', 'unsupported'];
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.nat(60), fc.constantFrom(...states), (age, later, maxAge, state) => {
      const it = sample({ observedAt: ago(age), maxAge, state });
      const then = new Date(now.getTime() + later * 1000);
      return rank[freshness(it, then)] >= rank[freshness(it, now)];
    }),
  );
});
