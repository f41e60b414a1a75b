import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, type Logger } from '@yagura/runtime';
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
  const started = performance.now();
  const method = request.method ?? 'GET';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let path = '';
  try {
    const url = new URL(request.url ?? '/', 'https://localhost');
    path = decodePath(url.pathname);
    send(response, await answer(options.router, request, method, path, url.searchParams, gone.signal));
  } catch (error) {
    const status = statusOf(error);
    if (!(error instanceof StatusError)) options.log.warn({ method, path, err: error }, 'request failed');
    else options.log.debug({ method, path, code: status.code, error: errorMessage(error) }, 'request refused');
    send(response, { status: status.code, body: status });
  }
  options.onServed?.({ method, path, status: response.statusCode, seconds: (performance.now() - started) / 1000 });
}

async function answer(
  router: Router,
  request: IncomingMessage,
  method: string,
  path: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Reply> {
  const match = router.match(method, path);
  if (match.found === 'nothing')
    throw new StatusError(404, `the server could not find the requested resource: ${path}`);
  if (match.found === 'other-methods')
    throw new StatusError(405, `the server does not allow ${method} on ${path}: it takes ${match.allow.join(', ')}`);
  return match.handler({ request, method, path, params: match.params, query, signal });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new StatusError(400, `the path is not valid percent-encoding: ${path}`);
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (reply.body === undefined) {
    response.writeHead(reply.status, { 'content-length': 0 }).end();
    return;
  }
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  const contentType = reply.contentType ?? (typeof reply.body === 'string' ? 'text/plain' : 'application/json');
  response
    .writeHead(reply.status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) })
    .end(text);
}
