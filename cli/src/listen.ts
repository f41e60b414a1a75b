import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { CLOSE, joinSocket, type WebSocket } from '@yagura/streams';

export interface Listener {
  port: number;
  close(): void;
}

export interface ListenOptions {
  address: string;
  /** 0: any that is free. */
  port: number;
  /** The guest's side of a connection. */
  open: () => Promise<WebSocket>;
  onError: (error: Error) => void;
  onEnd?: (code: number, reason: string) => void;
}

/** Listens here; each connection becomes a stream of the guest. */
export async function listenTcp({ address, port, open, onError, onEnd }: ListenOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    open().then(
      (stream) => {
        stream.once('close', (code, reason) => onEnd?.(code, reason.toString('utf8')));
        joinSocket(stream, socket, { onEnd: () => ({ code: CLOSE.normal, reason: '' }), sendHalfClose: true });
      },
      (error: Error) => {
        socket.destroy();
        onError(error);
      },
    );
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
