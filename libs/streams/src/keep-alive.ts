import type { WebSocket } from 'ws';

const PING_MS = 20_000;
/** A peer that was silent for so long is dead; long enough for a laptop that was closed for a moment. */
const DEAD_MS = 120_000;

/**
 * Pings the peer for as long as the socket is open. One that answers nothing is given up, unless nothing can be heard
 * from it because one side does not read: then there is no telling, and TCP itself finds out.
 */
export function keepAlive(socket: WebSocket, { pingMs = PING_MS, deadMs = DEAD_MS } = {}): void {
  let heard = performance.now();
  const hear = (): void => {
    heard = performance.now();
  };
  socket.on('message', hear).on('ping', hear).on('pong', hear);
  const timer = setInterval(() => {
    if (socket.isPaused || socket.bufferedAmount > 0) hear();
    else if (performance.now() - heard > deadMs) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  socket.once('close', () => clearInterval(timer));
}
