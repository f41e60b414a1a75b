import type { AgentOptions } from 'node:https';
import { type ClientOptions, WebSocket } from 'ws';
import { MAX_MESSAGE_BYTES } from './accept.ts';

const HANDSHAKE_MS = 10_000;

/** The server answered the handshake with something other than an upgrade. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(body.trim() || `HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

export interface OpenOptions {
  headers?: Record<string, string>;
  tls?: Pick<
    AgentOptions,
    'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername' | 'checkServerIdentity' | 'passphrase' | 'pfx'
  >;
  handshakeMs?: number;
  signal?: AbortSignal | undefined;
}

/** Resolves once the socket is open. It is paused until somebody listens to it. */
export async function openWebSocket(
  url: string,
  protocols: readonly string[],
  { headers = {}, tls = {}, handshakeMs = HANDSHAKE_MS, signal }: OpenOptions = {},
): Promise<WebSocket> {
  const options: ClientOptions = {
    // The types of `ws` know an older checkServerIdentity.
    ...(tls as object),
    headers,
    handshakeTimeout: handshakeMs,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  };
  const socket = new WebSocket(url, [...protocols], options);
  const onAbort = (): void => socket.terminate();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await opened(socket);
    return socket;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause();
      resolve();
    });
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('error', reject);
      response.once('end', () => {
        request.destroy();
        reject(new RefusedError(response.statusCode ?? 0, body));
      });
    });
  });
}
