import { InFlight } from './in-flight.ts';

test('work that ends soon is done at once, and may be done again', async () => {
  const inFlight = new InFlight();
  let times = 0;
  const work = async () => void (times += 1);
  expect(await inFlight.ended('a', 60_000, work)).toBe(true);
  expect(await inFlight.ended('a', 60_000, work)).toBe(true);
  expect(times).toBe(2);
  await expect(inFlight.ended('a', 60_000, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inFlight.ended('a', 60_000, work)).toBe(true);
});

test('work that hangs is left alone, is not begun twice, and holds up no other kind', async () => {
  const inFlight = new InFlight();
  const gate = Promise.withResolvers<void>();
  let times = 0;
  const work = async () => {
    times += 1;
    await gate.promise;
  };
  expect(await inFlight.ended('a', 1, work)).toBe(false);
  expect(await inFlight.ended('a', 60_000, work)).toBe(false);
  expect([inFlight.isRunning('a'), inFlight.isRunning('b')]).toEqual([true, false]);
  expect(await inFlight.ended('b', 60_000, async () => {})).toBe(true);
  gate.resolve();
  await gate.promise;
  await new Promise(setImmediate);
  expect(inFlight.isRunning('a')).toBe(false);
  expect(await inFlight.ended('a', 60_000, work)).toBe(true);
  expect(times).toBe(1);
});

test('an end that nobody waited for is told at the next look', async () => {
  const inFlight = new InFlight();
  const gate = Promise.withResolvers<void>();
  expect(await inFlight.ended('a', 1, async () => gate.promise)).toBe(false);
  gate.reject(new Error('too late'));
  await new Promise(setImmediate);
  await expect(inFlight.ended('a', 1, async () => {})).rejects.toThrow('too late');
  expect(await inFlight.ended('a', 60_000, async () => {})).toBe(true);
});

test('how work ended that was about something else is of no interest', async () => {
  const inFlight = new InFlight();
  const gate = Promise.withResolvers<void>();
  let times = 0;
  const other = async () => void (times += 1);
  expect(await inFlight.ended('a', 1, async () => gate.promise, 'unplug x')).toBe(false);
  expect(await inFlight.ended('a', 1, other, 'plug y')).toBe(false);
  gate.reject(new Error('too late'));
  await new Promise(setImmediate);
  expect(await inFlight.ended('a', 60_000, other, 'plug y')).toBe(true);
  expect(times).toBe(1);
});

test('an end that is forgotten is not told; work that goes on cannot be', async () => {
  const inFlight = new InFlight();
  const gate = Promise.withResolvers<void>();
  expect(await inFlight.ended('a', 1, async () => gate.promise)).toBe(false);
  inFlight.forget('a');
  expect(inFlight.isRunning('a')).toBe(true);
  gate.reject(new Error('too late'));
  await new Promise(setImmediate);
  inFlight.forget('a');
  expect(await inFlight.ended('a', 60_000, async () => {})).toBe(true);
});
