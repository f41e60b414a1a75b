import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Registry } from '@prometheus-io/client';
import type { Health } from './health.ts';

/** What the operations endpoint of a service shows. */
export interface Ops {
  health: Health;
  /** Ready to be sent work; the health alone when absent. */
  ready?: Health;
  registry?: Registry;
  /** Further paths, e.g. `/leader`, each answering with JSON. */
  json?: Record<string, () => unknown>;
}

/** Answers `/healthz`, `/readyz`, `/metrics` and the given JSON paths; false for any other path. */
export async function handleOps(ops: Ops, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const json = ops.json?.[path];
  if (json !== undefined) reply(response, 200, 'application/json', JSON.stringify(json()));
  else if (path === '/healthz' || path === '/readyz') {
    const failures = (path === '/readyz' ? (ops.ready ?? ops.health) : ops.health).failures();
    reply(
      response,
      failures.length === 0 ? 200 : 503,
      'text/plain',
      failures.length === 0 ? 'ok' : failures.join('\n'),
    );
  } else if (path === '/metrics' && ops.registry !== undefined) {
    reply(response, 200, ops.registry.contentType, await ops.registry.metrics());
  } else return false;
  return true;
}

function reply(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

/** Serves the operations endpoint alone on a port: over TLS when a certificate is given (swap it by `setSecureContext`). */
export async function startOpsServer(
  ops: Ops,
  options: { port: number; tls?: { key: string; cert: string } },
): Promise<Server | HttpsServer> {
  const listener: RequestListener = (request, response) => {
    handleOps(ops, request, response).then(
      (handled) => {
        if (!handled) reply(response, 404, 'text/plain', 'not found');
      },
      (error: unknown) => {
        reply(response, 500, 'text/plain', String(error));
      },
    );
  };
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, () => resolve());
  });
  return server;
}
