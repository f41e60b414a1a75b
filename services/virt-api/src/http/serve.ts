import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorMessage, type Logger } from '@yagura/runtime';
import { acceptWebSocket, isUpgrade, type WebSocket } from '@yagura/streams';
import type { Reply, Router } from './router.ts';
import { StatusError, statusOf } from './status.ts';

export interface ServeOptions {
  router: Router;
  log: Logger;
  /** Told every answered request; the route's pattern is not known to metrics, its class of path is. */
  onServed?: (served: { method: string; path: string; status: number; seconds: number }) => void;
}

/** Answers one request from the router; whatever is thrown becomes a metav1.Status. Never throws. */
export async function serve(options: ServeOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await answer(options, request, response, undefined);
}

/** Answers a request that wants its connection to become a websocket: the route does it, or answers as to any other. */
export async function serveUpgrade(
  options: ServeOptions,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  socket.on('error', () => {});
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  const upgrade = async (): Promise<WebSocket> => {
    response.detachSocket(socket);
    return acceptWebSocket(request, socket, head);
  };
  await answer(options, request, response, isUpgrade(request) ? upgrade : undefined);
}

async function answer(
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: (() => Promise<WebSocket>) | undefined,
): Promise<void> {
  const started = performance.now();
  const method = request.method ?? 'GET';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let path = '';
  let reply: Reply;
  try {
    const url = new URL(request.url ?? '/', 'https://localhost');
    path = decodePath(url.pathname);
    const { handler, params } = route(options.router, method, path);
    const context = { request, method, path, params, query: url.searchParams, signal: gone.signal };
    reply = await handler(upgrade === undefined ? context : { ...context, upgrade });
  } catch (error) {
    const status = statusOf(error);
    if (!(error instanceof StatusError)) options.log.warn({ method, path, err: error }, 'request failed');
    else options.log.debug({ method, path, code: status.code, error: errorMessage(error) }, 'request refused');
    reply = { status: status.code, body: status };
  }
  // What has become a websocket is nobody's response any more.
  if (reply.status !== 101) send(response, reply);
  options.onServed?.({ method, path, status: reply.status, seconds: (performance.now() - started) / 1000 });
}

function route(router: Router, method: string, path: string) {
  const match = router.match(method, path);
  if (match.found === 'nothing')
    throw new StatusError(404, `the server could not find the requested resource: ${path}`);
  if (match.found === 'other-methods')
    throw new StatusError(405, `the server does not allow ${method} on ${path}: it takes ${match.allow.join(', ')}`);
  return match;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new StatusError(400, `the path is not valid percent-encoding: ${path}`);
  }
}

function send(response: ServerResponse, { status, body, contentType }: Reply): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (body === undefined) {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const content = raw ? body : JSON.stringify(body);
  const type = contentType ?? (raw ? 'text/plain' : 'application/json');
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(content) }).end(content);
}
