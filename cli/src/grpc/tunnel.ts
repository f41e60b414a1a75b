import { createServer, type Server, type Socket } from 'node:net';
import type { KubeClient, ObjectName } from '@yagura/kube';
import { messageOf } from '../errors.ts';

/** Run in the container: joins its standard streams to the launcher's socket. Nothing but Node is needed there. */
const JOIN = `const socket = require('node:net').connect(process.argv[1]);
socket.on('error', (error) => { console.error(error.message); process.exit(1); });
socket.on('close', () => process.exit(0));
process.stdin.on('end', () => socket.end());
process.stdin.pipe(socket).pipe(process.stdout);`;

const NODE = '/usr/local/bin/node';
const SOCKET = '/var/run/kubevirt/sockets/launcher-sock';

export interface Tunnel {
  server: Server;
  close(): void;
}

export interface TunnelOptions {
  client: KubeClient;
  pod: ObjectName & { container: string };
  /** Path of a unix socket, or a port on 127.0.0.1. */
  listen: string | number;
  onError: (message: string) => void;
}

/** Listens here; each connection is carried by a pods/exec session to the launcher's gRPC socket. */
export async function openTunnel({ client, pod, listen, onError }: TunnelOptions): Promise<Tunnel> {
  const open = new Set<() => void>();
  const server = createServer((connection) => {
    carry(client, pod, connection, open).catch((error: unknown) => {
      onError(messageOf(error));
      connection.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof listen === 'number') server.listen(listen, '127.0.0.1', () => resolve());
    else server.listen(listen, () => resolve());
  });
  return {
    server,
    close: () => {
      server.close();
      for (const close of open) close();
    },
  };
}

async function carry(
  client: KubeClient,
  pod: ObjectName & { container: string },
  connection: Socket,
  open: Set<() => void>,
): Promise<void> {
  connection.pause();
  connection.on('error', () => {});
  const command = [NODE, '--v8-pool-size=1', '--max-semi-space-size=1', '-e', JOIN, SOCKET];
  const session = await client.exec(pod, { command, stdin: true });
  const close = () => {
    session.close();
    connection.destroy();
  };
  open.add(close);
  let complaint = '';
  session.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString('utf8')));
  connection.pipe(session.stdin);
  session.stdout.pipe(connection);
  try {
    const code = await session.exit;
    if (code !== 0)
      throw new Error(
        `no way to the launcher's socket in pod ${pod.namespace}/${pod.name}: ${complaint.trim() || `exit code ${code}`}`,
      );
  } catch (error) {
    // Closing is how a call ends here; only a session that was not closed by us has failed.
    if (!connection.destroyed) throw error;
  } finally {
    open.delete(close);
    connection.destroy();
  }
}
