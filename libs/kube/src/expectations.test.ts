import { Expectations } from './expectations.ts';
import { FakeClock } from './testing/fake-clock.ts';

test('a key is satisfied once everything expected of it was seen', () => {
  const expectations = new Expectations(new FakeClock());
  expect(expectations.satisfied('n/a')).toBe(true);
  expectations.expect('n/a', 'create/p1', 'delete/u2');
  expectations.observed('n/a', 'create/p1');
  expectations.observed('n/a', 'create/unknown');
  expect(expectations.satisfied('n/a')).toBe(false);
  expectations.observed('n/a', 'delete/u2');
  expect(expectations.satisfied('n/a')).toBe(true);
});

test('what is never seen is given up after five minutes', async () => {
  const clock = new FakeClock();
  const expectations = new Expectations(clock);
  expectations.expect('n/a', 'create/p1');
  await clock.advance(5 * 60_000 - 1);
  expect(expectations.satisfied('n/a')).toBe(false);
  await clock.advance(1);
  expect(expectations.satisfied('n/a')).toBe(true);
});
