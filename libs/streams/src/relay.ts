import type { WebSocket } from 'ws';
import { CLOSE, closeWith, type End, passedOn } from './close.ts';
import { Outgoing } from './flow.ts';

/**
 * Joins a client and a backend until one of them ends; the other then gets the same end, after everything that was sent
 * before it. `lost` says what the client is told when the backend's connection breaks.
 */
export function relay(client: WebSocket, backend: WebSocket, lost: () => End): void {
  forward(client, backend, () => backend.terminate());
  forward(backend, client, () => closeWith(client, lost()));
  client.resume();
  backend.resume();
}

function forward(from: WebSocket, to: WebSocket, onBroken: () => void): void {
  const outgoing = new Outgoing(to);
  from.on('message', (data) => {
    if (!outgoing.send(data, () => from.resume())) from.pause();
  });
  // A broken connection is followed by its close.
  from.on('error', () => {});
  from.once('close', (code, reason) =>
    outgoing.whenDrained(() => {
      if (code === CLOSE.abnormal) onBroken();
      else closeWith(to, passedOn(code, reason));
      // Its answer to the close has to be read, although nobody takes what it sends any more.
      to.resume();
    }),
  );
}
