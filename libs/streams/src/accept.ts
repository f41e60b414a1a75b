import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** The subprotocol of KubeVirt's streams: the payloads of binary messages are the bytes. */
export const PROTOCOL = 'plain.kubevirt.io';

/** One message is held whole; a browser sends what was pasted as one. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
});

/** Whether the request is a websocket's handshake that can be accepted. */
export function isUpgrade(request: IncomingMessage): boolean {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers;
  const known = version === '13' || version === '8';
  return (
    request.method === 'GET' &&
    upgrade?.toLowerCase() === 'websocket' &&
    known &&
    /^[+/0-9A-Za-z]{22}==$/.test(key ?? '')
  );
}

/** Answers the handshake of a request that `isUpgrade`. The socket is paused until somebody listens to it. */
export async function acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) reject(new Error('the client has gone'));
    else
      server.handleUpgrade(request, socket, head, (accepted) => {
        accepted.pause();
        resolve(accepted);
      });
  });
}
