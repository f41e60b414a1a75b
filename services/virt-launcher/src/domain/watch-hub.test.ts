import { WatchHub } from './watch-hub.ts';

async function take<T>(stream: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) taken.push((await stream.next()).value as T);
  return taken;
}

describe('the watch hub', () => {
  test('gives the current value first, then each update', async () => {
    const hub = new WatchHub<number, string>();
    const stop = new AbortController();
    const stream = hub.watch(() => 1, stop.signal);
    expect(await take(stream, 1)).toEqual([{ value: 1, event: undefined }]);
    hub.publish(2, 'two');
    hub.publish(3, 'three');
    expect(await take(stream, 2)).toEqual([
      { value: 2, event: 'two' },
      { value: 3, event: 'three' },
    ]);
    const next = stream.next();
    stop.abort();
    expect((await next).done).toBe(true);
    expect(hub.watchers).toBe(0);
  });

  test('keeps a slow watcher to a bounded backlog that ends with the newest value', async () => {
    const hub = new WatchHub<number, number>();
    const stop = new AbortController();
    const stream = hub.watch(() => 0, stop.signal);
    await stream.next();
    for (let i = 1; i <= 1000; i += 1) hub.publish(i, i);
    const seen = await take(stream, 64);
    expect(seen.at(-1)).toEqual({ value: 1000, event: 1000 });
    stop.abort();
    expect((await stream.next()).done).toBe(true);
  });

  test('folds updates without an event into the one behind them', async () => {
    const hub = new WatchHub<number, string>();
    const stop = new AbortController();
    const stream = hub.watch(() => 0, stop.signal);
    await stream.next();
    hub.publish(1);
    hub.publish(2);
    hub.publish(3, 'x');
    hub.publish(4);
    expect(await take(stream, 2)).toEqual([
      { value: 3, event: 'x' },
      { value: 4, event: undefined },
    ]);
    stop.abort();
    await stream.next();
  });
});
