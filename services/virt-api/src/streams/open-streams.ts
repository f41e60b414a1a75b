import { CLOSE, closeWith, type WebSocket } from '@yagura/streams';

export type StreamKind = 'console' | 'vnc' | 'portforward';

/** Told when a client's stream begins; the function that it gives, when it ends. */
export type OnStream = (kind: StreamKind, vmi: { namespace: string; name: string }) => () => void;

/** The streams that go through this process. */
export class OpenStreams {
  readonly #open = new Set<WebSocket>();
  readonly #onStream: OnStream;

  constructor(onStream: OnStream) {
    this.#onStream = onStream;
  }

  add(kind: StreamKind, vmi: { namespace: string; name: string }, client: WebSocket): void {
    const ended = this.#onStream(kind, vmi);
    this.#open.add(client);
    client.once('close', () => {
      this.#open.delete(client);
      ended();
    });
  }

  /** This process ends; the guests do not. */
  closeAll(): void {
    const reason = 'virt-api stops; the guest runs on, connect again';
    for (const client of this.#open) closeWith(client, { code: CLOSE.goingAway, reason });
  }
}
