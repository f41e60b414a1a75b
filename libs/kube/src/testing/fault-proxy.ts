import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient } from '../client.ts';
import { KubeError } from '../errors.ts';

/** How an API server says in a watch that it has compacted the version asked for. */
const EXPIRED = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version: 1 (2)',
    reason: 'Expired',
    code: 410,
  },
};

/** Stands between a client and an API server and breaks things on demand. */
export class FaultProxy {
  readonly #upstream: KubeClient;
  readonly #server: Server = createServer((request, response) => void this.#forward(request, response));
  readonly #watches = new Set<ServerResponse>();
  #expireNext = false;
  #refusals = 0;
  #port = 0;
  watchesStarted = 0;
  listsStarted = 0;

  constructor(upstream: KubeClient) {
    this.#upstream = upstream;
  }

  async listen(): Promise<KubeClient> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return new KubeClient({
      server: `http://127.0.0.1:${this.#port}`,
      namespace: 'default',
      tls: {},
      authorize: () => Promise.resolve({}),
      refresh() {},
    });
  }

  /** Open watches that still deliver. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Resets every connection, as a restarting load balancer does. */
  dropConnections(): void {
    this.#server.closeAllConnections();
  }

  /** Answers the next `count` requests with 503. */
  refuse(count: number): void {
    this.#refusals = count;
  }

  /** The next watch is told that its version is too old, in the server's words: a young server has compacted nothing. */
  expireNextWatch(): void {
    this.#expireNext = true;
  }

  /** The running watches stay connected and say nothing more. */
  silenceWatches(): void {
    this.#watches.clear();
  }

  /** The server goes away altogether; `listen` brings it back on the same port. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://proxy');
    const watching = url.searchParams.get('watch') === 'true';
    if (this.#refusals > 0) {
      this.#refusals -= 1;
      response.writeHead(503).end('upstream is not there');
      return;
    }
    if (watching) this.watchesStarted += 1;
    else this.listsStarted += 1;
    if (watching && this.#expireNext) {
      this.#expireNext = false;
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(EXPIRED)}\n`);
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await this.#upstream.stream({ path: url.pathname + url.search }, gone.signal);
      response.writeHead(answer.status, { 'Content-Type': answer.headers['content-type'] ?? 'application/json' });
      response.flushHeaders();
      if (watching) this.#watches.add(response);
      for await (const chunk of answer.body) if (!watching || this.#watches.has(response)) response.write(chunk);
      if (!watching || this.#watches.delete(response)) response.end();
    } catch (error) {
      this.#watches.delete(response);
      if (response.headersSent) response.destroy();
      else if (error instanceof KubeError) {
        const { code, reason, message } = error;
        response.writeHead(code, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ kind: 'Status', code, reason, message }));
      } else response.destroy();
    }
  }
}
