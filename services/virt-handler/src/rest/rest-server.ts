import { type IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@yagura/runtime';
import type { ServingCertificates } from '../certs/certificates.ts';
import { HttpError, statusBody, toHttpError } from './errors.ts';
import type { Answer, RestCall } from './routes.ts';

/** The only client: virt-api, by the certificate that virt-controller made for talking to handlers. */
export const CLIENT_NAME = 'kubevirt.io:system:client:virt-handler';

export interface RestServerOptions {
  port: number;
  certificates: ServingCertificates;
  handle: (call: RestCall) => Promise<Answer>;
  /** Takes a connection that is to become a websocket; throws while an HTTP status can still be sent. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
  log: Logger;
}

/** REST over mutual TLS. A client without the right certificate does not get as far as a request. */
export async function startRestServer(options: RestServerOptions): Promise<Server> {
  const { port, certificates, log } = options;
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
    void answer(options, request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    if (commonName(socket) !== CLIENT_NAME) socket.destroy();
    else void upgrade(options, request, socket, head);
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

/** Freeze takes the longest of what virt-api asks for, and sends the only body. */
const MAX_BODY_BYTES = 64 * 1024;

/** Answers a request of somebody who may ask. */
export async function answer(
  { handle, log }: Pick<RestServerOptions, 'handle' | 'log'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? 'GET';
  // The path as it was sent; `//` and the like are no URL that could be parsed.
  const [path = '/', search = ''] = (request.url ?? '/').split(/[?#]/);
  const query = new URLSearchParams(search);
  try {
    send(response, await handle({ method, path, query, body: await readBody(request) }));
  } catch (thrown) {
    fail(response, thrown, { method, path }, log);
  }
}

async function upgrade(options: RestServerOptions, request: IncomingMessage, socket: Socket, head: Buffer) {
  socket.on('error', () => {});
  try {
    await options.upgrade(request, socket, head);
  } catch (thrown) {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    fail(response, thrown, { method: 'GET', path: request.url ?? '/' }, options.log);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new HttpError(400, `the body is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fail(response: ServerResponse, thrown: unknown, call: { method: string; path: string }, log: Logger): void {
  const error = toHttpError(thrown);
  if (error.code >= 500) log.warn({ ...call, code: error.code, reason: error.message }, 'request failed');
  send(response, { status: error.code, body: statusBody(error) });
}

function send(response: ServerResponse, { status, body, contentType = 'application/json' }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  if (body === undefined) response.writeHead(status).end();
  else
    response
      .writeHead(status, { 'content-type': contentType })
      .end(body instanceof Uint8Array ? body : JSON.stringify(body));
}
