import { getEventListeners } from 'node:events';
import { KubeClient } from './client.ts';
import { Informer } from './informer.ts';
import type { ListWatcher } from './reflector.ts';
import { defineResource } from './resources.ts';
import { FakeClock, settle } from './testing/fake-clock.ts';
import { reflectorContract } from './testing/reflector-contract.ts';
import { WatchServer } from './testing/watch-server.ts';

describe('against an in-process server', () => {
  reflectorContract(async () => {
    const server = new WatchServer();
    const url = await server.listen();
    const namespace = 'contract';
    const access = { server: url, namespace, tls: {}, authorize: () => Promise.resolve({}), refresh() {} };
    return {
      client: new KubeClient(access),
      resource: defineResource('v1', 'ConfigMap', 'configmaps'),
      namespace,
      put: (name, labels) => Promise.resolve(server.put(namespace, name, labels)),
      delete: (name) => Promise.resolve(server.delete(namespace, name)),
      close: () => Promise.resolve(server.close()),
    };
  });
});

describe('proof of life', () => {
  const resource = defineResource('v1', 'ConfigMap', 'configmaps');
  const version = (resourceVersion: string) => ({ metadata: { name: 'a', resourceVersion } });

  test('lists, events and bookmarks count; a failing server and the end of a watch do not', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const stop = new AbortController();
    const steps: (() => void)[] = [];
    const next = () => new Promise<void>((resolve) => steps.push(resolve));
    const proceed = async () => {
      await clock.advance(10_000);
      steps.shift()?.();
      await settle();
    };
    const source = {
      list: async () => {
        await next();
        return { metadata: { resourceVersion: '1' }, items: [] };
      },
      async *watch() {
        await next();
        yield { type: 'BOOKMARK', object: version('2') };
        await next();
        yield { type: 'ADDED', object: version('3') };
        await next();
        throw new Error('the connection is lost');
      },
    } as unknown as ListWatcher;
    const informer = new Informer(source, resource, { clock, random: () => 0 });
    const running = informer.run(stop.signal);
    await settle();
    expect(informer.lastContact).toBeUndefined();
    for (const seconds of [10, 20, 30, 30]) {
      await proceed();
      expect(informer.lastContact).toBe(start + seconds * 1000);
    }
    stop.abort();
    steps.forEach((step) => step());
    await running;
  });

  test('watch after watch leaves nothing behind in the signal that stops them all', async () => {
    const stop = new AbortController();
    let watches = 0;
    const ended = Promise.withResolvers<void>();
    const source = {
      list: async () => ({ metadata: { resourceVersion: '1' }, items: [] }),
      async *watch() {
        watches += 1;
        if (watches === 5) {
          ended.resolve();
          await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
        }
        yield { type: 'BOOKMARK', object: version('2') };
      },
    } as unknown as ListWatcher;
    const backoff = { initialMs: 0, maxMs: 0, resetMs: 1 };
    const running = new Informer(source, resource, { backoff }).run(stop.signal);
    await ended.promise;
    // The watch under way, and the source's own.
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(2);
    stop.abort();
    await running;
  });
});
