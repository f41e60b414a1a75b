import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** Only a name of the file, to nothing that could be read or written; Linux's value on the processors that we run on. */
const O_PATH = 0x200000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/** The guest has no such device, or its QEMU is gone. */
export class NoSocketError extends Error {
  override readonly name = 'NoSocketError';
}

/**
 * Connects to a socket in a launcher's private directory. The pod may change what is in there at any time, so what is
 * connected to is the file that was checked, as an open one: no link leads to another server of the node. It is also the
 * only name of it that is shorter than 108 bytes.
 */
export async function connectGuestSocket(privateDirectory: string, directory: string, name: string): Promise<Socket> {
  const held: FileHandle[] = [];
  const hold = async (path: string, flags: number): Promise<string> => {
    const file = await open(path, O_PATH | O_NOFOLLOW | flags);
    held.push(file);
    return `/proc/self/fd/${file.fd}`;
  };
  try {
    const parent = await hold(join(privateDirectory, directory), O_DIRECTORY);
    const path = await hold(`${parent}/${name}`, 0);
    if (!(await held[1]?.stat())?.isSocket()) throw new NoSocketError(`${name} of the guest is not a socket`);
    return await connected(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED')
      throw new NoSocketError(`the guest has no ${name}, or its QEMU has ended (${code})`);
    throw error;
  } finally {
    await Promise.all(held.map(async (file) => file.close()));
  }
}

async function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
