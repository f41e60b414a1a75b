import { getEventListeners } from 'node:events';
import { Controller, type ReconcileOutcome, TerminalError } from './controller.ts';
import { KubeError } from './errors.ts';
import { FakeClock, settle } from './testing/fake-clock.ts';

function setup(behave: (run: number) => Promise<{ requeueAfterMs?: number } | void>, concurrency = 1) {
  const clock = new FakeClock();
  const runs: string[] = [];
  const outcomes: ReconcileOutcome[] = [];
  const stop = new AbortController();
  const controller = new Controller({
    name: 'test',
    clock,
    concurrency,
    timeoutMs: 5_000,
    backoff: { initialMs: 100, maxMs: 1_000 },
    reconcile: ({ namespace, name }) => {
      runs.push(`${namespace}/${name}`);
      return behave(runs.length);
    },
    onOutcome: (_controller, outcome) => outcomes.push(outcome),
  });
  const running = controller.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, controller, runs, outcomes, end };
}

test('asks again after the time the reconcile names', async () => {
  const { clock, controller, outcomes, runs, end } = setup((run) =>
    Promise.resolve(run === 1 ? { requeueAfterMs: 500 } : {}),
  );
  controller.enqueue({ namespace: 'n', name: 'a' });
  await clock.advance(499);
  expect(runs).toHaveLength(1);
  await clock.advance(1);
  expect(outcomes).toEqual(['requeue_after', 'success']);
  await end();
});

test('retries a failure with growing delays and starts anew after a success', async () => {
  const { clock, controller, outcomes, end } = setup((run) =>
    run < 4 ? Promise.reject(new Error('broken')) : Promise.resolve(),
  );
  controller.enqueue({ namespace: 'n', name: 'a' });
  await clock.advance(100);
  await clock.advance(200);
  expect(outcomes).toEqual(['error', 'error', 'error']);
  await clock.advance(399);
  expect(outcomes).toHaveLength(3);
  await clock.advance(1);
  expect(outcomes[3]).toBe('success');
  expect(controller.queue.failures('n/a')).toBe(0);
  await end();
});

test.each<[string, Error, ReconcileOutcome, number]>([
  ['a conflict soon', new KubeError({ code: 409, reason: 'Conflict' }, 'PUT'), 'conflict', 50],
  [
    'a throttled request when the server says',
    new KubeError({ code: 429, details: { retryAfterSeconds: 7 } }, 'GET'),
    'error',
    7_000,
  ],
])('retries %s', async (_what, error, outcome, ms) => {
  const { clock, controller, outcomes, runs, end } = setup((run) =>
    run === 1 ? Promise.reject(error) : Promise.resolve(),
  );
  controller.enqueue({ namespace: 'n', name: 'a' });
  await clock.advance(ms - 1);
  expect(runs).toHaveLength(1);
  await clock.advance(1);
  expect(outcomes).toEqual([outcome, 'success']);
  await end();
});

test('runs that are over leave nothing behind in the signal that stops the controller', async () => {
  const signals: AbortSignal[] = [];
  const stop = new AbortController();
  const controller = new Controller({
    name: 'test',
    reconcile: async (_, { signal }) => void signals.push(signal),
  });
  const running = controller.run(stop.signal);
  const before = getEventListeners(stop.signal, 'abort').length;
  for (let i = 0; i < 5; i++) controller.enqueue({ namespace: 'n', name: `a${i}` });
  await settle();
  expect(signals).toHaveLength(5);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(before);
  stop.abort();
  await running;
});

test('does not retry what cannot get better', async () => {
  const { clock, controller, outcomes, runs, end } = setup(() => Promise.reject(new TerminalError('no')));
  controller.enqueue({ namespace: 'n', name: 'a' });
  await clock.advance(3_600_000);
  expect(runs).toHaveLength(1);
  expect(outcomes).toEqual(['terminal']);
  await end();
});

test('waits at its end for the run in flight', async () => {
  const gate = Promise.withResolvers<void>();
  const { controller, outcomes, end } = setup(() => gate.promise);
  controller.enqueue({ namespace: 'n', name: 'a' });
  await settle();
  const ended = end();
  await settle();
  expect(outcomes).toEqual([]);
  gate.resolve();
  await ended;
  expect(outcomes).toEqual(['success']);
});

test('works on different objects at once, as many as allowed', async () => {
  const gate = Promise.withResolvers<void>();
  const { controller, runs, end } = setup(() => gate.promise, 2);
  for (const name of ['a', 'b', 'c']) controller.enqueue({ namespace: 'n', name });
  await settle();
  expect(runs).toEqual(['n/a', 'n/b']);
  gate.resolve();
  await settle();
  expect(runs).toEqual(['n/a', 'n/b', 'n/c']);
  await end();
});
