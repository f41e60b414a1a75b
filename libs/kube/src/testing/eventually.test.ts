import { eventually } from './eventually.ts';

const soon = { everyMs: 1 };

test('undefined, false and an error are no answers yet; anything else is one', async () => {
  const looks = [
    () => undefined,
    () => false as const,
    () => {
      throw new Error('refused');
    },
    () => 0,
  ];
  expect(await eventually('a number', 5000, () => looks.shift()?.(), soon)).toBe(0);
});

test('what is waited for and what the last look threw are told when the time is over', async () => {
  const refused = new Error('connection refused');
  const waiting = eventually('an API server (see its log)', 20, () => Promise.reject(refused), soon);
  await expect(waiting).rejects.toMatchObject({
    message: 'not within 0.02 s: an API server (see its log): connection refused',
    cause: refused,
  });
  await expect(eventually('an answer', 0, () => undefined, soon)).rejects.toThrow(/^not within 0 s: an answer$/);
});

test('an earlier error is not told of a look that found nothing', async () => {
  let looks = 0;
  const look = (): undefined => {
    if (looks++ === 0) throw new Error('old');
  };
  await expect(eventually('an answer', 20, look, soon)).rejects.toThrow(/: an answer$/);
});

test.each([
  ['a value that is not there', () => (undefined as unknown as { items: string[] }).items],
  ['a name that is not there', () => (globalThis as unknown as { run: () => string[] }).run()],
])('a mistake in the look, such as the use of %s, is not waited for', async (_what, look) => {
  await expect(eventually('the impossible', 60_000, look, soon)).rejects.toBeInstanceOf(TypeError);
});

test('a connection that fetch cannot make is no mistake of the look', async () => {
  const looks = [() => Promise.reject(new TypeError('fetch failed', { cause: new Error('refused') })), () => 'there'];
  expect(await eventually('a server', 5000, () => looks.shift()?.(), soon)).toBe('there');
});

test('the signal ends it with its reason, also in the midst of a wait', async () => {
  const stop = new AbortController();
  const waiting = eventually('nothing', 60_000, () => undefined, { everyMs: 60_000, signal: stop.signal });
  stop.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow();
  await expect(eventually('nothing', 1, () => 1, { signal: stop.signal })).rejects.toThrow('interrupted');
});
