import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '../objects.ts';

interface Recorded {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
  before: KubeObject | undefined;
}

/** One collection behind the list and watch protocol. For unit tests only; the contract suite holds it to what a real API server does. */
export class WatchServer {
  #version = 100;
  #uid = 0;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Recorded[] = [];
  readonly #watchers = new Set<(recorded: Recorded) => void>();
  readonly #server: Server = createServer((request, response) => this.#serve(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Creates or changes an object. */
  put(namespace: string, name: string, labels: Record<string, string>): void {
    const key = `${namespace}/${name}`;
    const before = this.#objects.get(key);
    const uid = before?.metadata?.uid ?? `uid-${++this.#uid}`;
    const object = { metadata: { namespace, name, uid, labels, resourceVersion: String(++this.#version) } };
    this.#objects.set(key, object);
    this.#record({ version: this.#version, type: before ? 'MODIFIED' : 'ADDED', object, before });
  }

  delete(namespace: string, name: string): void {
    const before = this.#objects.get(`${namespace}/${name}`);
    if (!before) return;
    this.#objects.delete(`${namespace}/${name}`);
    const object = { metadata: { ...before.metadata, resourceVersion: String(++this.#version) } };
    this.#record({ version: this.#version, type: 'DELETED', object, before });
  }

  #record(recorded: Recorded): void {
    this.#history.push(recorded);
    for (const watcher of this.#watchers) watcher(recorded);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server');
    const selector = url.searchParams.get('labelSelector')?.split('=');
    const selected = (object: KubeObject | undefined): boolean =>
      object !== undefined && (!selector || object.metadata?.labels?.[selector[0] ?? ''] === selector[1]);
    if (url.searchParams.get('watch') === 'true') this.#watch(url, selected, response);
    else this.#list(url, selected, response);
  }

  #list(url: URL, selected: (object: KubeObject) => boolean, response: ServerResponse): void {
    const limit = Number(url.searchParams.get('limit') ?? 500);
    const offset = Number(url.searchParams.get('continue') ?? 0);
    const all = [...this.#objects.values()].filter(selected);
    const next = offset + limit < all.length ? { continue: String(offset + limit) } : {};
    const metadata = { resourceVersion: String(this.#version), ...next };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ kind: 'List', metadata, items: all.slice(offset, offset + limit) }));
  }

  #watch(url: URL, selected: (object: KubeObject | undefined) => boolean, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    const emit = (type: string, object: object) => response.write(`${JSON.stringify({ type, object })}\n`);
    if (from < 100) {
      emit('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: `too old resource version: ${from}` });
      response.end();
      return;
    }
    const send = ({ type, object, before, version }: Recorded) => {
      const was = selected(before);
      const is = type !== 'DELETED' && selected(object);
      if (was && is) emit('MODIFIED', object);
      else if (is) emit('ADDED', object);
      else if (was) emit('DELETED', { ...before, metadata: { ...before?.metadata, resourceVersion: String(version) } });
    };
    for (const recorded of this.#history) if (recorded.version > from) send(recorded);
    this.#watchers.add(send);
    const timer = setTimeout(
      () => {
        if (url.searchParams.get('allowWatchBookmarks') === 'true')
          emit('BOOKMARK', { metadata: { resourceVersion: String(this.#version) } });
        response.end();
      },
      Number(url.searchParams.get('timeoutSeconds')) * 1000,
    );
    response.once('close', () => {
      clearTimeout(timer);
      this.#watchers.delete(send);
    });
  }
}
