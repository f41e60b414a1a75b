import fc from 'fast-check';
import { FakeClock } from './testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

const setup = () => {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock, backoff: { initialMs: 5, maxMs: 1000 } }) };
};

test('a key waits once however often it is added', async () => {
  const { queue } = setup();
  for (const key of ['a', 'a', 'b', 'a']) queue.add(key);
  expect(queue.depth).toBe(2);
  expect([await queue.take(), await queue.take()]).toEqual(['a', 'b']);
});

test('a key added while it is worked on comes back after done, and not before', async () => {
  const { queue } = setup();
  queue.add('a');
  await queue.take();
  queue.add('a');
  expect(queue.depth).toBe(0);
  queue.done('a');
  expect(await queue.take()).toBe('a');
});

test('of two delays the earlier counts', async () => {
  const { clock, queue } = setup();
  queue.addAfter('a', 100);
  queue.addAfter('a', 20);
  queue.addAfter('a', 50);
  await clock.advance(20);
  expect(queue.depth).toBe(1);
  await clock.advance(200);
  expect(queue.depth).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});

test.each([
  [0, 5],
  [1, 10],
  [4, 80],
  [20, 1000],
])('after %i failures the key waits %i ms', async (failures, ms) => {
  const { clock, queue } = setup();
  for (let i = 0; i < failures; i++) {
    queue.addRateLimited('a');
    await clock.advance(1000);
    queue.done((await queue.take()) ?? '');
  }
  queue.addRateLimited('a');
  await clock.advance(ms - 1);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(queue.depth).toBe(1);
});

test('forget starts the back-off anew', () => {
  const { queue } = setup();
  queue.addRateLimited('a');
  queue.forget('a');
  expect(queue.failures('a')).toBe(0);
});

test('shutting down wakes who waits and takes nothing more', async () => {
  const { clock, queue } = setup();
  const waiting = queue.take();
  queue.addAfter('a', 10);
  queue.shutDown();
  queue.add('b');
  await clock.advance(100);
  expect(await waiting).toBeUndefined();
  expect(await queue.take()).toBeUndefined();
  expect(queue.depth).toBe(0);
});

test('no key is worked on twice at once, none is lost, none handed out without a reason', async () => {
  const keys = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key: keys }),
    fc.record({ kind: fc.constant('addAfter' as const), key: keys, ms: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ kind: fc.constant('take' as const) }),
    fc.record({ kind: fc.constant('done' as const), key: keys }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, queue } = setup();
      const working = new Set<string>();
      /** Keys that owe us a run: added, and not handed out since. */
      const owed = new Set<string>();
      const due = new Map<string, number>();
      const take = async () => {
        const key = await queue.take();
        if (key === undefined) throw new Error('the queue is not shut down');
        expect(working.has(key)).toBe(false);
        expect(owed.has(key)).toBe(true);
        owed.delete(key);
        working.add(key);
      };
      const pass = async (ms: number) => {
        await clock.advance(ms);
        for (const [key, at] of due) {
          if (at > clock.monotonic()) continue;
          owed.add(key);
          due.delete(key);
        }
      };
      for (const action of steps) {
        if (action.kind === 'add') {
          queue.add(action.key);
          owed.add(action.key);
        } else if (action.kind === 'addAfter' && action.ms === 0) {
          queue.addAfter(action.key, 0);
          owed.add(action.key);
        } else if (action.kind === 'addAfter') {
          queue.addAfter(action.key, action.ms);
          due.set(action.key, Math.min(due.get(action.key) ?? Number.POSITIVE_INFINITY, clock.monotonic() + action.ms));
        } else if (action.kind === 'advance') await pass(action.ms);
        else if (action.kind === 'take' && queue.depth > 0) await take();
        else if (action.kind === 'done' && working.delete(action.key)) queue.done(action.key);
        expect(queue.depth).toBe([...owed].filter((key) => !working.has(key)).length);
      }
      await pass(1000);
      for (const key of working) queue.done(key);
      working.clear();
      while (queue.depth > 0) await take();
      expect([...owed]).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
