import { createLogger } from '@yagura/runtime';
import { Tasks } from './tasks.ts';

const quiet = createLogger('test', '0').child({}, { level: 'silent' });
const never = () => new Promise<void>(() => {});
const stopped = AbortSignal.abort();

test('all are waited for, and the stop does not wait for what does not end', async () => {
  const told: unknown[] = [];
  const log = { ...quiet, warn: (fields: unknown) => told.push(fields) } as unknown as typeof quiet;
  const tasks = new Tasks();
  tasks.add('quick', Promise.resolve());
  tasks.add('stuck', never());
  await tasks.ended(stopped, 10, log);
  expect(told).toEqual([{ running: ['stuck'] }]);
});

test('before the stop nothing is late', async () => {
  const tasks = new Tasks();
  const work = Promise.withResolvers<void>();
  tasks.add('work', work.promise);
  let ended = false;
  const waiting = tasks.ended(new AbortController().signal, 0, quiet).then(() => (ended = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ended).toBe(false);
  work.resolve();
  await waiting;
});

test('a failure is a failure of all', async () => {
  const tasks = new Tasks();
  tasks.add('stuck', never());
  tasks.add('broken', Promise.reject(new Error('no device directory')));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(tasks.ended(new AbortController().signal, 1000, quiet)).rejects.toThrow('no device directory');
});
