import { Pause } from './pause.ts';

test('a wait ends by time, by being woken, and by the signal', async () => {
  const stop = new AbortController();
  const pause = new Pause(stop.signal);
  await pause.wait(1);
  const woken = pause.wait();
  pause.wake();
  await woken;
  const stopped = pause.wait(60_000);
  stop.abort();
  await stopped;
  await pause.wait(60_000);
});

test('a wake between two waits is not lost, and counts once', async () => {
  const pause = new Pause(new AbortController().signal);
  pause.wake();
  pause.wake();
  await pause.wait(60_000);
  const order: string[] = [];
  const second = pause.wait(1).then(() => order.push('time'));
  order.push('waiting');
  await second;
  expect(order).toEqual(['waiting', 'time']);
});
