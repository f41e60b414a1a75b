import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@yagura/runtime';
import type { ServingCertificates } from '../certs/certificates.ts';
import { statusBody, toHttpError } from './errors.ts';
import type { Answer } from './routes.ts';

/** The only client: virt-api, by the certificate that virt-controller made for talking to handlers. */
export const CLIENT_NAME = 'kubevirt.io:system:client:virt-handler';

export interface RestServerOptions {
  port: number;
  certificates: ServingCertificates;
  handle: (method: string, path: string) => Promise<Answer>;
  log: Logger;
}

/** REST over mutual TLS. A client without the right certificate does not get as far as a request. */
export async function startRestServer({ port, certificates, handle, log }: RestServerOptions): Promise<Server> {
  const server = createServer({ ...certificates, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.2' });
  server.on('secureConnection', (socket: TLSSocket) => {
    const name = commonName(socket);
    if (name === CLIENT_NAME) return;
    log.warn({ name, address: socket.remoteAddress }, 'client refused');
    socket.destroy();
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ reason: error.message, address: socket.remoteAddress }, 'TLS handshake failed');
  });
  server.on('request', (request, response) => {
    // The check above and a request in the same packet would race.
    if (commonName(request.socket as TLSSocket) !== CLIENT_NAME) {
      request.socket.destroy();
      return;
    }
    void answer(handle, request, response, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return server;
}

/** Certificates for connections from now on. */
export function swapCertificates(server: Server, certificates: ServingCertificates): void {
  server.setSecureContext(certificates);
}

function commonName(socket: TLSSocket): string | string[] | undefined {
  if (!socket.authorized) return undefined;
  // Null, against its declared type, once the client has gone.
  const certificate = socket.getPeerCertificate() as ReturnType<TLSSocket['getPeerCertificate']> | null;
  return certificate?.subject?.CN;
}

async function answer(
  handle: RestServerOptions['handle'],
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): Promise<void> {
  const method = request.method ?? 'GET';
  // The path as it was sent; `//` and the like are no URL that could be parsed.
  const path = (request.url ?? '/').split(/[?#]/, 1)[0] ?? '/';
  request.resume();
  let reply: Answer;
  try {
    reply = await handle(method, path);
  } catch (thrown) {
    const error = toHttpError(thrown);
    if (error.code >= 500) log.warn({ method, path, code: error.code, reason: error.message }, 'request failed');
    reply = { status: error.code, body: statusBody(error) };
  }
  if (reply.body === undefined) response.writeHead(reply.status).end();
  else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
}
