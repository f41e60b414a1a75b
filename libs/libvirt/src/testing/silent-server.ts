import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A socket that accepts and never answers: to a client, a daemon that hangs. */
export class SilentServer {
  readonly uri: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'yagura-silent-'));
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });

  constructor() {
    const path = join(this.#directory, 'sock');
    this.#server.listen(path);
    this.uri = `qemu:///session?socket=${path}`;
  }

  get clients(): number {
    return this.#sockets.size;
  }

  /** Ends the server, and with it the calls that hang on it. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
