import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import { bytesOf, CLOSE, closeWith, joinSocket, type WebSocket } from '@yagura/streams';

/** A connection to a port of the guest, which has no client yet. */
export interface Tunnel {
  join(socket: WebSocket): void;
  close(): void;
}

const DIAL_MS = 10_000;
const TCP_KEEP_ALIVE_MS = 15_000;

export async function dialTcp(host: string, port: number, signal: AbortSignal): Promise<Tunnel> {
  const stream = connect({ host, port, allowHalfOpen: true });
  const giveUp = (why: string) => stream.destroy(new Error(`connect to ${host}:${port}: ${why}`));
  const timer = setTimeout(() => giveUp(`no answer within ${DIAL_MS / 1000} s`), DIAL_MS);
  const onAbort = () => giveUp('the client has gone');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(stream, 'connect');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  stream.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  const onEnd = (error: Error | undefined) =>
    error === undefined
      ? { code: CLOSE.normal, reason: 'the guest has closed the connection' }
      : { code: CLOSE.internalError, reason: `the connection to ${host}:${port} broke: ${error.message}` };
  return {
    join: (socket) => joinSocket(socket, stream, { onEnd, halfClose: true }),
    close: () => stream.destroy(),
  };
}

/** So much may wait for a client that does not read; what comes then is lost, as datagrams are. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Each message is a datagram. Nobody knows whether somebody listens, so it ends with the client alone. */
export async function dialUdp(host: string, port: number): Promise<Tunnel> {
  const datagrams = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  datagrams.connect(port, host);
  await once(datagrams, 'connect');
  // A port that nobody listens on answers so; somebody may listen later.
  datagrams.on('error', () => {});
  return {
    join: (socket) => {
      socket.on('message', (data) => {
        datagrams.send(bytesOf(data), (error) => {
          if (error && 'code' in error && error.code === 'EMSGSIZE')
            closeWith(socket, { code: 1009, reason: 'the message is longer than a datagram' });
        });
      });
      datagrams.on('message', (data) => {
        if (socket.bufferedAmount < MAX_WAITING_BYTES) socket.send(data, { binary: true }, () => {});
      });
      socket.on('error', () => {});
      socket.once('close', () => datagrams.close());
      socket.resume();
    },
    close: () => datagrams.close(),
  };
}
