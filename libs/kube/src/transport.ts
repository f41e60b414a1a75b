import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { ClusterAccess } from './access.ts';
import { ConnectionError } from './errors.ts';

export interface RawRequest {
  readonly method: string;
  /** Absolute path with query, below the server's prefix. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** Time until the response headers have arrived. */
  readonly timeoutMs: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Must be read to its end or destroyed, or the connection is never used again. */
  readonly body: IncomingMessage;
}

const TCP_KEEPALIVE_MS = 15_000;

/** HTTP/1.1 with keep-alive to one API server. Node's own client: it costs a third of the memory of an undici in each of our processes. */
export class Transport {
  readonly #access: ClusterAccess;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #base: URL;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#base = new URL(access.server);
    const options = {
      keepAlive: true,
      keepAliveMsecs: TCP_KEEPALIVE_MS,
      maxFreeSockets: 4,
      scheduling: 'lifo' as const,
    };
    this.#agent =
      this.#base.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent({ ...options, ...access.tls });
  }

  /** Sends once; a request on a pooled connection that the server had just closed is sent again when it is safe to. */
  async send(request: RawRequest, signal?: AbortSignal): Promise<RawResponse> {
    const authorization = await this.#access.authorize();
    try {
      return await this.#once(request, authorization, signal);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      if (request.method !== 'GET' && request.method !== 'HEAD') throw error.error;
      return this.#once(request, authorization, signal);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once(request: RawRequest, authorization: Record<string, string>, signal?: AbortSignal): Promise<RawResponse> {
    const label = `${request.method} ${request.path.split('?')[0]}`;
    return new Promise((resolve, reject) => {
      const send = this.#base.protocol === 'http:' ? httpRequest : httpsRequest;
      const outgoing = send({
        agent: this.#agent,
        hostname: this.#base.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: this.#base.port || (this.#base.protocol === 'http:' ? 80 : 443),
        path: this.#base.pathname.replace(/\/+$/, '') + request.path,
        method: request.method,
        headers: {
          ...authorization,
          ...request.headers,
          ...(typeof request.body === 'string' || request.body instanceof Uint8Array
            ? { 'Content-Length': Buffer.byteLength(request.body) }
            : {}),
        },
        ...(signal ? { signal } : {}),
      });
      const timer = setTimeout(() => {
        outgoing.destroy(new ConnectionError(label, `no response within ${request.timeoutMs} ms`, true));
      }, request.timeoutMs);
      outgoing.once('response', (body) => {
        clearTimeout(timer);
        // A reader that has gone away must not turn a broken connection into a crash.
        body.on('error', () => {});
        resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        if (signal?.aborted) reject(signal.reason instanceof Error ? signal.reason : error);
        else if (error instanceof ConnectionError) reject(error);
        else if (outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          reject(new StaleConnection(new ConnectionError(label, error)));
        else reject(new ConnectionError(label, error));
      });
      if (request.body === undefined) outgoing.end();
      else if (typeof request.body === 'string' || request.body instanceof Uint8Array) outgoing.end(request.body);
      else request.body.pipe(outgoing);
    });
  }
}

class StaleConnection extends Error {
  readonly error: ConnectionError;
  constructor(error: ConnectionError) {
    super(error.message);
    this.error = error;
  }
}

/** Reads a whole body as text; fails when the time is over or the connection breaks. */
export async function readText(
  response: RawResponse,
  label: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  const stop = (error: Error) => response.body.destroy(error);
  const timer = setTimeout(
    () => stop(new ConnectionError(label, `body incomplete after ${timeoutMs} ms`, true)),
    timeoutMs,
  );
  const onAbort = () => stop(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of response.body) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (signal?.aborted || error instanceof ConnectionError) throw error;
    throw new ConnectionError(label, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
