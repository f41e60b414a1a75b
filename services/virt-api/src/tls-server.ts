import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import type { Credentials } from './credentials.ts';
import type { OpenStreams } from './streams/open-streams.ts';

/** Serves over TLS with whatever certificate is current: starts when the first exists, takes a rotated one without a restart. */
export async function serveTls(
  options: {
    credentials: Credentials;
    port: number;
    log: Logger;
    listener: RequestListener;
    upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
  },
  signal: AbortSignal,
): Promise<Server | undefined> {
  const { credentials, log, port, listener, upgrade } = options;
  await firstCertificate(credentials, log, signal);
  const context = contextOf(credentials);
  if (context === undefined) return undefined;
  // Webhook calls come without a client certificate; who needs one is decided by request, not by connection.
  const server = createServer(
    { ...context, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    listener,
  );
  server.on('upgrade', upgrade);
  server.keepAliveTimeout = 120_000;
  credentials.onServerChange(() => {
    const changed = contextOf(credentials);
    if (changed === undefined) return;
    try {
      server.setSecureContext(changed);
      log.info({}, 'certificates taken');
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'certificates not usable, the former ones stay');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return server;
}

/** Longer than it takes until no proxy sends us new connections. */
const STILL_SENT_MS = 3000;
const LAST_ANSWERS_MS = 10_000;

/** Stops without a refused request: serves on until nobody sends any more, then lets the last answers out. */
export async function drain(server: Server, streams: OpenStreams): Promise<void> {
  await sleep(STILL_SENT_MS);
  streams.closeAll();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, LAST_ANSWERS_MS).unref();
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

async function firstCertificate(credentials: Credentials, log: Logger, signal: AbortSignal): Promise<void> {
  if (credentials.serving !== undefined || signal.aborted) return;
  log.info({}, 'waiting for the serving certificate, which virt-controller makes');
  await new Promise<void>((resolve) => {
    credentials.onServerChange(() => {
      if (credentials.serving !== undefined) resolve();
    });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function contextOf(credentials: Credentials): SecureContextOptions | undefined {
  const serving = credentials.serving;
  if (serving === undefined) return undefined;
  const clientCa = credentials.frontProxy?.clientCa;
  return { ...serving, minVersion: 'TLSv1.2', ...(clientCa === undefined ? {} : { ca: clientCa }) };
}
