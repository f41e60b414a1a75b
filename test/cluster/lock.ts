import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';

/** In Linux's abstract namespace: the kernel frees it when the process ends, however it ends. */
const address = (name: string): string => `\0yagura-cluster-${name}`;

export class BusyError extends Error {
  constructor(holder: string) {
    super(
      `another cluster command is at work on this machine: ${holder}. Wait for it, or end it (kill its process), then try again.`,
    );
    this.name = 'BusyError';
  }
}

/** Takes the machine's lock, or says who has it. The lock is held until `release` or the end of the process. */
export async function takeLock(holder: string, name = 'lock'): Promise<{ release: () => Promise<void> }> {
  const server = createServer((socket) => socket.on('error', () => {}).end(holder));
  const taken = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address(name), () => resolve(true));
  });
  if (!taken) throw new BusyError(await askHolder(name));
  server.unref();
  return { release: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function askHolder(name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const unknown = 'it does not say which';
    const socket = connect(address(name));
    socket.setTimeout(1000, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text === '' ? unknown : text));
  });
}
