import { getEventListeners } from 'node:events';
import { linkedAbort } from './linked-abort.ts';

test('an attempt ends with the long-lived signal, for its reason', () => {
  const life = new AbortController();
  const attempt = linkedAbort(life.signal);
  const reason = new Error('shutdown');
  life.abort(reason);
  expect(attempt.signal.reason).toBe(reason);
  expect(linkedAbort(life.signal).signal.reason).toBe(reason);
});

test('an attempt that ends alone leaves the long-lived signal as it was', () => {
  const life = new AbortController();
  const attempt = linkedAbort(life.signal);
  attempt.abort(new Error('too slow'));
  expect(attempt.signal.reason).toEqual(new Error('too slow'));
  expect(life.signal.aborted).toBe(false);
});

test('nothing is left behind by attempts that are over', () => {
  const life = new AbortController();
  const attempts = Array.from({ length: 5 }, () => linkedAbort(life.signal));
  expect(getEventListeners(life.signal, 'abort')).toHaveLength(5);
  for (const attempt of attempts) attempt.release();
  expect(getEventListeners(life.signal, 'abort')).toHaveLength(0);
  life.abort();
  expect(attempts.some(({ signal }) => signal.aborted)).toBe(false);
});
