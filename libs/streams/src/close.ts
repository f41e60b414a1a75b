import type { WebSocket } from 'ws';

/** Close codes of RFC 6455, and of our own range above 4000. */
export const CLOSE = {
  /** The stream came to its end. */
  normal: 1000,
  /** The server goes away; the guest does not: connecting again helps. */
  goingAway: 1001,
  /** Never sent: the peer closed without a code. */
  noStatus: 1005,
  /** Never sent: the connection broke. */
  abnormal: 1006,
  /** Something behind the server broke. */
  internalError: 1011,
  /** Another client has the stream now. */
  takenOver: 4001,
} as const;

/** Why a stream ends, in a code and in words. */
export interface End {
  code: number;
  reason: string;
}

/** A control frame holds 125 bytes, two of them the code. */
const MAX_REASON_BYTES = 123;

export function closeWith(socket: WebSocket, { code, reason }: End): void {
  socket.close(code, fitReason(reason));
}

/** The reason as far as it fits, cut between characters. */
export function fitReason(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  let fitting = '';
  let size = 0;
  for (const character of reason) {
    size += Buffer.byteLength(character);
    if (size > MAX_REASON_BYTES - 3) break;
    fitting += character;
  }
  return `${fitting}…`;
}

/** An end that was received, as one that may be sent. */
export function passedOn(code: number, reason: Buffer): End {
  return { code: code === CLOSE.noStatus ? CLOSE.normal : code, reason: reason.toString('utf8') };
}
