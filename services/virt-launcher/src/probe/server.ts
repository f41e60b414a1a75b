import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { errorMessage, type Logger } from '@yagura/runtime';
import type { ProbeAnswer } from './answer.ts';
import { type ProbeRequest, parseProbe } from './arguments.ts';

/** More than any command line of a probe. */
const MAX_REQUEST_BYTES = 1 << 20;
const USAGE = 2;

/**
 * Answers virt-probe, the small program that the kubelet runs in this container: its arguments, each ended by a NUL,
 * then the end of the stream; back goes a line with the exit code, and the output.
 */
export async function serveProbes(
  path: string,
  answer: (request: ProbeRequest) => Promise<ProbeAnswer>,
  log: Logger,
): Promise<Server> {
  // One that a launcher before this one has left.
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A probe that was given up is nobody's concern any more.
    socket.on('error', () => socket.destroy());
    void reply(socket, answer).catch((error: unknown) => {
      log.debug({ error: errorMessage(error) }, 'probe not answered');
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // The launcher's own work keeps it alive, not this.
  server.unref();
  return server;
}

async function reply(socket: Socket, answer: (request: ProbeRequest) => Promise<ProbeAnswer>): Promise<void> {
  const request = await read(socket);
  const { exitCode, output } = await parsed(request, answer);
  socket.end(`${exitCode}\n${output}${output === '' || output.endsWith('\n') ? '' : '\n'}`);
}

async function parsed(
  args: readonly string[],
  answer: (request: ProbeRequest) => Promise<ProbeAnswer>,
): Promise<ProbeAnswer> {
  let request: ProbeRequest;
  try {
    request = parseProbe(args);
  } catch (error) {
    return { exitCode: USAGE, output: `virt-probe: ${errorMessage(error)}` };
  }
  return answer(request);
}

async function read(socket: Socket): Promise<string[]> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_REQUEST_BYTES) throw new Error('the request is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString().split('\0').slice(0, -1);
}
