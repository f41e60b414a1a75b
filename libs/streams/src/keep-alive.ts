import type { WebSocket } from 'ws';

const PING_MS = 20_000;
/** So many pings without an answer make a peer dead: two minutes, long enough for a laptop that was closed for a moment. */
const MAX_UNANSWERED = 6;

/**
 * Pings the peer for as long as the socket is open. One that answers nothing is given up, unless nothing can be heard
 * from it because one side does not read: then there is no telling, and TCP itself finds out.
 */
export function keepAlive(socket: WebSocket, { pingMs = PING_MS, maxUnanswered = MAX_UNANSWERED } = {}): void {
  // Counted, not timed: a process that stood still has not heard what came meanwhile.
  let unanswered = 0;
  const hear = (): void => {
    unanswered = 0;
  };
  socket.on('message', hear).on('ping', hear).on('pong', hear);
  const timer = setInterval(() => {
    if (socket.isPaused || socket.bufferedAmount > 0) hear();
    else if (unanswered >= maxUnanswered) socket.terminate();
    else if (socket.readyState === socket.OPEN) {
      unanswered += 1;
      socket.ping();
    }
  }, pingMs);
  socket.once('close', () => clearInterval(timer));
}
