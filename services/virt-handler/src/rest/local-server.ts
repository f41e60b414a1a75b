import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import type { Logger } from '@yagura/runtime';
import { HttpError } from './errors.ts';
import { answer } from './rest-server.ts';
import type { Answer, RestCall } from './routes.ts';

export interface LocalServerOptions {
  /** Path of the unix socket, in a directory of its own. */
  socket: string;
  handle: (call: RestCall) => Promise<Answer>;
  log: Logger;
}

/**
 * The routes that only read, for a command inside this container (`yagura-node`). The socket is in the container's own
 * file system, for its user alone: who gets there may execute commands here, and needs no certificate.
 */
export async function startLocalServer({ socket, handle, log }: LocalServerOptions): Promise<Server> {
  const reading = async (call: RestCall): Promise<Answer> => {
    if (call.method !== 'GET') throw new HttpError(405, 'this socket is for reading');
    return handle(call);
  };
  const server = createServer((request, response) => void answer({ handle: reading, log }, request, response));
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  // Left by a process that was killed.
  await rm(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve());
  });
  await chmod(socket, 0o600);
  return server;
}
