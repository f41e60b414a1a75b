import type { KubeObject, ListQuery, Resource, WatchEvent } from '@yagura/kube';
import { Credentials } from './credentials.ts';

const secret = (name: string, text: string): KubeObject & { data: object } => ({
  metadata: { name, namespace: 'yagura', uid: name, resourceVersion: '1' },
  data: { 'tls.crt': btoa(`cert ${text}`), 'tls.key': btoa(`key ${text}`) },
});

/** An API server that lists nothing and then sends what it is told to. */
function server() {
  const streams = new Map<string, (event: WatchEvent<KubeObject>) => void>();
  return {
    send: (type: WatchEvent<KubeObject>['type'], object: KubeObject) =>
      streams.get(`metadata.name=${object.metadata?.name}`)?.({ type, object }),
    watching: () => streams.size,
    list: async () => ({ metadata: { resourceVersion: '0' }, items: [] }),
    async *watch(_resource: Resource, query: ListQuery, signal?: AbortSignal) {
      const queue: WatchEvent<KubeObject>[] = [];
      let wake = Promise.withResolvers<void>();
      streams.set(query.fieldSelector ?? '', (event) => {
        queue.push(event);
        wake.resolve();
      });
      signal?.addEventListener('abort', () => wake.resolve(), { once: true });
      while (!signal?.aborted) {
        yield* queue.splice(0);
        wake = Promise.withResolvers<void>();
        if (queue.length === 0 && !signal?.aborted) await wake.promise;
      }
    },
  };
}

/** Lets everything that is due run, until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !holds(); turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
}

test('a certificate is waited for, taken, replaced, and kept while there is no other', async () => {
  const api = server();
  const stop = new AbortController();
  const credentials = new Credentials(api as never, 'yagura');
  let changes = 0;
  credentials.onServerChange(() => changes++);
  const running = credentials.run(stop.signal);
  await until(() => api.watching() === 4);
  expect(credentials.serving).toBeUndefined();

  api.send('ADDED', secret('kubevirt-virt-api-certs', 'one'));
  await until(() => changes === 1);
  expect(credentials.serving).toEqual({ cert: 'cert one', key: 'key one' });

  const next = secret('kubevirt-virt-api-certs', 'two');
  api.send('MODIFIED', { ...next, metadata: { ...next.metadata, resourceVersion: '2' } });
  await until(() => changes === 2);
  expect(credentials.serving).toEqual({ cert: 'cert two', key: 'key two' });

  api.send('DELETED', { ...next, metadata: { ...next.metadata, resourceVersion: '3' } });
  await until(() => changes === 3);
  expect(credentials.serving).toEqual({ cert: 'cert two', key: 'key two' });
  stop.abort();
  await running;
});

test('handlers can be talked to once both the client certificate and the authority are there', async () => {
  const api = server();
  const stop = new AbortController();
  const credentials = new Credentials(api as never, 'yagura');
  const running = credentials.run(stop.signal);
  await until(() => api.watching() === 4);
  api.send('ADDED', secret('kubevirt-virt-handler-certs', 'client'));
  const authority = {
    metadata: { name: 'kubevirt-ca', namespace: 'yagura', uid: 'ca', resourceVersion: '1' },
    data: { 'ca-bundle': 'CA' },
  };
  expect(credentials.handler).toBeUndefined();
  api.send('ADDED', authority);
  await until(() => credentials.handler !== undefined);
  expect(credentials.handler).toEqual({ cert: 'cert client', key: 'key client', ca: 'CA' });
  stop.abort();
  await running;
});
