import type { Socket } from 'node:net';
import { CLOSE, closeWith, type End, type WebSocket } from '@yagura/streams';

/** One client at a device of a guest. */
export interface Session {
  /** Who it is, as far as the API server knows. */
  user: string | undefined;
  socket: WebSocket;
  stream: Socket;
}

/** The clients of this node's guests: each device has one at most, the last that came. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  has(key: string): boolean {
    return this.#sessions.has(key);
  }

  /** Gives the device to a new client. The former one is told who has it now, and has lost its connection when this returns. */
  take(key: string, session: Session): void {
    const former = this.#sessions.get(key);
    this.#sessions.set(key, session);
    session.stream.once('close', () => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    });
    if (former !== undefined) end(former, { code: CLOSE.takenOver, reason: takenOver(session.user) });
  }

  /** Ends them all, as when this process does. */
  closeAll(why: End): void {
    for (const session of this.#sessions.values()) end(session, why);
  }
}

function takenOver(user: string | undefined): string {
  return user ? `taken over by ${user}` : 'taken over by another client';
}

/** The device is free at once, whatever the client still has to say. */
function end({ socket, stream }: Session, why: End): void {
  closeWith(socket, why);
  stream.destroy();
}
