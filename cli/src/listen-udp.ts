import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { bytesOf, CLOSE, type WebSocket } from '@yagura/streams';
import type { Listener, ListenOptions } from './listen.ts';

/** A sender that was silent for so long gets a new stream, should it speak again. */
const IDLE_MS = 300_000;
/** So much may wait for the guest; what comes then is lost, as datagrams are. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Listens here for datagrams; each sender has a stream of its own. */
export async function listenUdp({ address, port, open, onError }: ListenOptions): Promise<Listener> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const senders = new Map<string, Promise<WebSocket | undefined>>();
  const begin = async (key: string, { address: host, port: from }: RemoteInfo): Promise<WebSocket | undefined> => {
    try {
      const stream = await open();
      const idle = setTimeout(() => stream.close(CLOSE.normal), IDLE_MS);
      stream.on('message', (data) => socket.send(bytesOf(data), from, host, () => {}));
      stream.on('message', () => idle.refresh()).on('error', () => {});
      stream.once('close', () => {
        clearTimeout(idle);
        senders.delete(key);
      });
      stream.resume();
      return stream;
    } catch (error) {
      senders.delete(key);
      onError(error as Error);
      return undefined;
    }
  };
  socket.on('message', (data, from) => {
    const key = `${from.address} ${from.port}`;
    const stream = senders.get(key) ?? begin(key, from);
    senders.set(key, stream);
    void stream.then((opened) => {
      if (opened && opened.bufferedAmount < MAX_WAITING_BYTES) opened.send(data, { binary: true }, () => {});
    });
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}
