import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE, closeWith, type End } from './close.ts';
import { bytesOf, Outgoing } from './flow.ts';

/** What a peer that was told of the end still has to say is waited for so long. */
const LINGER_MS = 30_000;

export interface JoinOptions {
  /** Why the stream has ended, when it did so by itself; `error` when it broke. */
  onEnd: (error: Error | undefined) => Promise<End> | End;
  /** Whether an empty message is the end of what the client sends, as a half-closed connection says it; default false. */
  halfClose?: boolean;
  /** Whether to say so to the other side when the stream has no more to send, instead of ending both; default false. */
  sendHalfClose?: boolean;
}

/**
 * Joins a websocket and a stream until one of them ends. A client that closes leaves the stream what it sent before;
 * one whose connection breaks is gone at once.
 */
export function joinSocket(socket: WebSocket, stream: Socket, options: JoinOptions): void {
  toStream(socket, stream, options.halfClose ?? false);
  const outgoing = new Outgoing(socket);
  let failure: Error | undefined;
  stream.on('data', (chunk: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (!outgoing.send(chunk, () => stream.resume())) stream.pause();
  });
  stream.on('error', (error) => {
    failure = error;
  });
  stream.once('close', () =>
    outgoing.whenDrained(() => {
      if (socket.readyState !== socket.OPEN) return;
      socket.resume();
      void Promise.resolve(options.onEnd(failure)).then((end) => closeWith(socket, end));
    }),
  );
  stream.once('end', () => {
    if (options.sendHalfClose && socket.readyState === socket.OPEN) outgoing.send(Buffer.alloc(0), () => {});
    // Its last words have been read, so a stream that may be half open ends here.
    else stream.end();
  });
  socket.resume();
}

function toStream(socket: WebSocket, stream: Socket, halfClose: boolean): void {
  socket.on('message', (data) => {
    const bytes = bytesOf(data);
    if (bytes.length === 0 && halfClose) stream.end();
    else if (stream.writable && !stream.write(bytes)) socket.pause();
  });
  stream.on('drain', () => socket.resume());
  socket.on('error', () => {});
  socket.once('close', (code) => {
    if (code === CLOSE.abnormal) {
      stream.destroy();
      return;
    }
    stream.end();
    // Whoever hears of the end closes as well. Until then what comes is read, or a reset would take what was sent with it.
    stream.resume();
    stream.setTimeout(LINGER_MS, () => stream.destroy());
  });
}
