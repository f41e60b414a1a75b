import type { RawData, WebSocket } from 'ws';

/** So much may wait for a peer before its source is not read any more, and so little before it is again. */
export const HIGH_WATER_BYTES = 256 * 1024;
export const LOW_WATER_BYTES = 64 * 1024;

/** A websocket to send to, with what is under way counted. */
export class Outgoing {
  readonly #socket: WebSocket;
  #pending = 0;
  #onDrained: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Sends; `onRoom` is called whenever there is room for more. Returns whether there is room now. */
  send(data: RawData | Uint8Array, onRoom: () => void): boolean {
    this.#pending += 1;
    this.#socket.send(data, { binary: true }, () => {
      this.#pending -= 1;
      if (this.#socket.bufferedAmount <= LOW_WATER_BYTES) onRoom();
      if (this.#pending === 0) for (const drained of this.#onDrained.splice(0)) drained();
    });
    return this.#socket.bufferedAmount < HIGH_WATER_BYTES;
  }

  /** Calls back once all that was sent has left: a close would cut a slow peer off after half a minute. */
  whenDrained(drained: () => void): void {
    if (this.#pending === 0) drained();
    else this.#onDrained.push(drained);
  }
}

/** One message, whatever way it arrived in. */
export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
