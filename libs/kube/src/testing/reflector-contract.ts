import type { KubeClient } from '../client.ts';
import { Informer } from '../informer.ts';
import type { KubeObject, Resource } from '../objects.ts';
import { eventually } from './eventually.ts';
import { FaultProxy } from './fault-proxy.ts';

/** A server under the contract: where it is, and how to change the collection behind the reflector's back. */
export interface ContractServer {
  client: KubeClient;
  resource: Resource;
  namespace: string;
  put(name: string, labels: Record<string, string>): Promise<void>;
  delete(name: string): Promise<void>;
  close(): Promise<void>;
}

const soon = { everyMs: 10 };
const BACKOFF = { initialMs: 20, maxMs: 200, resetMs: 10_000 };

/** What a reflector does against any API server, real or not. */
export function reflectorContract(makeServer: () => Promise<ContractServer>): void {
  let server: ContractServer;
  let proxy: FaultProxy;
  let stop: AbortController;
  const running: Promise<void>[] = [];

  beforeEach(async () => {
    server = await makeServer();
    proxy = new FaultProxy(server.client);
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running.splice(0));
    await proxy.stop();
    await server.close();
  });

  interface Watched {
    informer: Informer<KubeObject>;
    log: string[];
  }
  async function watchedBy(options: object = {}): Promise<Watched> {
    const client = await proxy.listen();
    const informer = new Informer(client, server.resource, {
      namespace: server.namespace,
      backoff: BACKOFF,
      watchSeconds: [60, 60],
      ...options,
    });
    const log: string[] = [];
    informer.onChange(({ type, object }) => log.push(`${type} ${object.metadata?.name}`));
    running.push(informer.run(stop.signal));
    await informer.synced(stop.signal);
    await eventually('one open watch', 10_000, () => proxy.openWatches === 1, soon);
    return { informer, log };
  }
  const shows = ({ informer }: Watched, expected: Record<string, string>) =>
    eventually(
      'a store that shows what the server has',
      10_000,
      () => {
        const found = informer.store.list().map(({ metadata }) => [metadata?.name, metadata?.labels?.['v']]);
        expect(Object.fromEntries(found)).toEqual(expected);
        return true;
      },
      soon,
    );

  test('lists in pages, then follows changes', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await server.put(name, { v: '1' });
    const watched = await watchedBy({ pageSize: 2 });
    expect(proxy.listsStarted).toBe(3);
    await shows(watched, { a: '1', b: '1', c: '1', d: '1', e: '1' });
    await server.put('a', { v: '2' });
    await server.delete('b');
    await server.put('f', { v: '1' });
    await shows(watched, { a: '2', c: '1', d: '1', e: '1', f: '1' });
    expect(watched.log.slice(5)).toEqual(['updated a', 'deleted b', 'added f']);
  });

  test('goes on after a dropped connection without listing again', async () => {
    await server.put('a', { v: '1' });
    const watched = await watchedBy();
    for (const version of ['2', '3', '4']) {
      proxy.dropConnections();
      await server.put('a', { v: version });
      await shows(watched, { a: version });
    }
    expect(proxy.listsStarted).toBe(1);
  });

  test('survives a server that is away for a while', async () => {
    await server.put('a', { v: '1' });
    const watched = await watchedBy();
    await proxy.stop();
    await server.delete('a');
    await server.put('b', { v: '1' });
    await proxy.listen();
    await shows(watched, { b: '1' });
    proxy.refuse(3);
    proxy.dropConnections();
    await server.put('c', { v: '1' });
    await shows(watched, { b: '1', c: '1' });
  });

  test('lists again when its version has expired, and tells what vanished meanwhile', async () => {
    await server.put('a', { v: '1' });
    await server.put('b', { v: '1' });
    const watched = await watchedBy();
    proxy.silenceWatches();
    await server.delete('a');
    await server.put('c', { v: '1' });
    proxy.expireNextWatch();
    proxy.dropConnections();
    await shows(watched, { b: '1', c: '1' });
    expect(proxy.listsStarted).toBe(2);
    expect(watched.log.slice(2)).toEqual(['deleted a', 'added c']);
  });

  test('takes a silent watch for a dead one', async () => {
    await server.put('a', { v: '1' });
    const watched = await watchedBy({ silenceMs: 300 });
    proxy.silenceWatches();
    await server.put('a', { v: '2' });
    await shows(watched, { a: '2' });
    expect(proxy.listsStarted).toBe(1);
  });

  test('an object made anew under its old name is deleted, then added', async () => {
    await server.put('a', { v: '1' });
    const watched = await watchedBy();
    await proxy.stop();
    await server.delete('a');
    await server.put('a', { v: '2' });
    proxy.expireNextWatch();
    await proxy.listen();
    await shows(watched, { a: '2' });
    expect(watched.log).toEqual(['added a', 'deleted a', 'added a']);
  });

  test('an object whose labels stop to match leaves the store', async () => {
    await server.put('a', { v: '1', side: 'left' });
    await server.put('b', { v: '1', side: 'right' });
    const watched = await watchedBy({ labelSelector: 'side=left' });
    await shows(watched, { a: '1' });
    await server.put('a', { v: '2', side: 'right' });
    await server.put('b', { v: '2', side: 'left' });
    await shows(watched, { b: '2' });
  });

  test('watches anew when the server ends a watch, keeping the version of the bookmark', async () => {
    await server.put('a', { v: '1' });
    const watched = await watchedBy({ watchSeconds: [2, 2] });
    await eventually('a third watch', 20_000, () => proxy.watchesStarted >= 3);
    await server.put('a', { v: '2' });
    await shows(watched, { a: '2' });
    expect(proxy.listsStarted).toBe(1);
  }, 30_000);
}
