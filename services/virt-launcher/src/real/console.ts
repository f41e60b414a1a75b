import { connect, type Socket } from 'node:net';
import { until } from './testing.ts';

/** The guest's serial console, logged in as root without a password. */
export class GuestConsole {
  readonly #socket: Socket;
  #received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data) => {
      this.#received += data.toString('latin1');
    });
  }

  /**
   * What was shown, without the questions that the guest's shell has for a terminal. They are taken from the whole:
   * one may arrive in two pieces.
   */
  get #text(): string {
    return this.#received.replaceAll(/\x1b(\[[0-9;?]*([A-Za-z]|$)|$)/g, '');
  }

  static async login(path: string): Promise<GuestConsole> {
    const console = new GuestConsole(connect(path));
    await until('the guest shows a prompt', 60_000, async () => {
      if (/# $/.test(console.#text)) return true;
      console.#socket.write(/login: *$/.test(console.#text) ? 'root\n' : '\n');
      await new Promise((resolve) => setTimeout(resolve, 500));
      return false;
    });
    return console;
  }

  /** Runs a command and gives what it printed. */
  async run(command: string): Promise<string> {
    this.#received = '';
    // The mark is put together by the shell, so that the echo of the line is not taken for the end of its output.
    this.#socket.write(`${command}; echo DO''NE\n`);
    await until(`the guest has run ${command}`, 20_000, async () => this.#text.includes('\nDONE'));
    return this.#text;
  }

  /** Types a command that the shell does not come back from. */
  type(command: string): void {
    this.#socket.write(`${command}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }
}
