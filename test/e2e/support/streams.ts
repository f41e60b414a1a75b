import { KubeClient } from '@yagura/kube';
import { bytesOf, type End, PROTOCOL, type WebSocket } from '@yagura/streams';
import { kubeconfig } from './cluster.ts';
import { eventually } from './eventually.ts';

let loaded: Promise<KubeClient> | undefined;
export const kubeClient = (): Promise<KubeClient> => (loaded ??= KubeClient.load({ kubeconfig, userAgent: 'e2e' }));

export const vmiPath = (namespace: string, name: string, subresource: string): string =>
  `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`;

/** A stream of an instance, as virtctl opens it. */
export async function openStream(namespace: string, name: string, subresource: string): Promise<WebSocket> {
  return (await kubeClient()).webSocket(vmiPath(namespace, name, subresource), [PROTOCOL]);
}

export async function endOf(socket: WebSocket): Promise<End> {
  return new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }));
    socket.on('error', () => {});
    socket.resume();
  });
}

/** The serial console of a guest, logged in. */
export class GuestConsole {
  readonly socket: WebSocket;
  readonly end: Promise<End>;
  #received = '';

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.end = endOf(socket);
    socket.on('message', (data) => {
      this.#received += bytesOf(data).toString('latin1');
    });
  }

  /**
   * What was shown, without the questions that the guest's shell has for a terminal. They are taken from the whole:
   * one may arrive in two messages.
   */
  get #text(): string {
    return this.#received.replaceAll(/\x1b(\[[0-9;?]*([A-Za-z]|$)|$)/g, '');
  }

  static async login(namespace: string, name: string, user = 'root', password = ''): Promise<GuestConsole> {
    const socket = await eventually('the console opens', 30_000, async () => openStream(namespace, name, 'console'));
    const console = new GuestConsole(socket);
    let at = 0;
    await eventually(`the console of ${namespace}/${name} shows a prompt`, 90_000, async () => {
      const shown = console.#text.slice(at);
      if (/[#$] $/.test(shown)) return true;
      at = console.#text.length;
      if (/login: *$/.test(shown)) console.socket.send(`${user}\n`);
      else if (/[Pp]assword: *$/.test(shown)) console.socket.send(`${password}\n`);
      else console.socket.send('\n');
      await console.#more(at);
      return false;
    });
    return console;
  }

  /** Runs a command and gives what it printed. */
  async run(command: string, timeoutMs = 30_000): Promise<string> {
    this.#received = '';
    // The mark is put together by the shell, so that the echo of the line is not taken for the end of its output.
    this.socket.send(`${command}; echo DO''NE\n`);
    await this.until('\nDONE', timeoutMs);
    const [, output = ''] = /\n([^]*?)\r?\nDONE/.exec(this.#text) ?? [];
    return output.trim();
  }

  async until(text: string, timeoutMs: number): Promise<void> {
    await eventually(`the console shows "${text}"`, timeoutMs, async () => {
      if (this.#text.includes(text)) return true;
      throw new Error(`it shows ${JSON.stringify(this.#text.slice(-300))}`);
    });
  }

  /** Forgets what was shown, and sends. */
  send(data: string | Buffer): void {
    this.#received = '';
    this.socket.send(data);
  }

  async #more(than: number): Promise<void> {
    await eventually('the console says something', 3_000, async () => this.#text.length > than).catch(() => {});
  }
}
