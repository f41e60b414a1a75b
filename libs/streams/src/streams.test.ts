import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { acceptWebSocket, isUpgrade, PROTOCOL } from './accept.ts';
import { CLOSE, type End, fitReason } from './close.ts';
import { bytesOf, HIGH_WATER_BYTES } from './flow.ts';
import { type JoinOptions, joinSocket } from './join-socket.ts';
import { keepAlive } from './keep-alive.ts';
import { openWebSocket, RefusedError } from './open.ts';
import { relay } from './relay.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const portOf = (server: Server | ReturnType<typeof createNetServer>) => (server.address() as AddressInfo).port;

/** A websocket server; gives the URL, and each socket that it accepts to `onSocket`. */
async function serve(onSocket: (socket: WebSocket) => void): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(503).end('busy'));
  server.on('upgrade', (request, socket, head) => {
    cleanups.push(() => socket.destroy());
    if (!isUpgrade(request) || request.url === '/no') socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy');
    else void acceptWebSocket(request, socket, head).then(onSocket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => server.close());
  return `ws://127.0.0.1:${portOf(server)}/`;
}

async function open(url: string, protocols: string[] = [PROTOCOL]): Promise<WebSocket> {
  const socket = await openWebSocket(url, protocols);
  cleanups.push(() => socket.terminate());
  return socket;
}

/** A TCP service, the whole of which is `serveOne`. */
async function service(serveOne: (socket: Socket) => void): Promise<number> {
  const server = createNetServer({ allowHalfOpen: true }, (socket) => {
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    serveOne(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => server.close());
  return portOf(server);
}

/** Client, two hops of websockets, and the service behind them, as the product has it. */
async function chain(serveOne: (socket: Socket) => void, options: Partial<JoinOptions> = {}) {
  const port = await service(serveOne);
  const onEnd = (error: Error | undefined): End =>
    error ? { code: CLOSE.internalError, reason: error.message } : { code: CLOSE.normal, reason: 'the guest ended' };
  const backends: WebSocket[] = [];
  const handler = await serve((socket) => {
    backends.push(socket);
    const stream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    stream.once('connect', () => joinSocket(socket, stream, { onEnd, ...options }));
  });
  const lost = { code: CLOSE.internalError, reason: 'virt-handler went away' };
  const api = await serve((socket) => void open(handler).then((other) => relay(socket, other, () => lost)));
  const client = await open(api);
  return { client, backends };
}

async function closeOf(socket: WebSocket): Promise<End> {
  socket.resume();
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

const MANY = randomBytes(10_000_000);

test.each([
  ['one message', MANY.length],
  ['many', 10_000],
])(
  'ten megabytes arrive whole at a slow reader, in %s, and the end after them',
  async (_, size) => {
    const received: Buffer[] = [];
    const ended = Promise.withResolvers<void>();
    let most = 0;
    const { client, backends } = await chain((socket) => {
      const slow = setInterval(() => {
        most = Math.max(most, backends[0]?.bufferedAmount ?? 0);
        const chunk = socket.read() as Buffer | null;
        if (chunk !== null) received.push(chunk);
      }, 1);
      cleanups.push(() => clearInterval(slow));
      socket.once('end', () => ended.resolve());
      socket.pause();
    });
    for (let at = 0; at < MANY.length; at += size) client.send(MANY.subarray(at, at + size));
    client.resume();
    client.close();
    await ended.promise;
    expect(Buffer.concat(received).equals(MANY)).toBe(true);
  },
  60_000,
);

test('what a guest floods with waits at the guest while the client does not read', async () => {
  let sent = 0;
  const { client, backends } = await chain((socket) => {
    const more = (): void => {
      while (socket.write(MANY.subarray(0, 65_536))) sent += 65_536;
    };
    socket.on('drain', more);
    more();
  });
  let before = -1;
  while (sent !== before) {
    before = sent;
    await delay(300);
  }
  // What is under way is in the kernel's buffers and in two of ours.
  expect(backends[0]?.bufferedAmount).toBeLessThan(2 * HIGH_WATER_BYTES);
  client.on('message', () => {});
  client.resume();
  while (sent < before + 50_000_000) await delay(10);
  expect(client.readyState).toBe(client.OPEN);
}, 60_000);

test('the service’s last words come before its end', async () => {
  const { client } = await chain((socket) => socket.end(MANY));
  const received: Buffer[] = [];
  client.on('message', (data) => received.push(bytesOf(data)));
  expect(await closeOf(client)).toEqual({ code: CLOSE.normal, reason: 'the guest ended' });
  expect(Buffer.concat(received).equals(MANY)).toBe(true);
}, 30_000);

test('an empty message half-closes, and the answer still comes', async () => {
  const { client } = await chain(
    (socket) => {
      let size = 0;
      socket.on('data', (chunk) => (size += chunk.length)).once('end', () => socket.end(`${size} bytes`));
    },
    { halfClose: true },
  );
  const received: Buffer[] = [];
  client.on('message', (data) => received.push(bytesOf(data)));
  client.send('12345');
  client.send(Buffer.alloc(0));
  expect((await closeOf(client)).code).toBe(CLOSE.normal);
  expect(Buffer.concat(received).toString()).toBe('5 bytes');
});

test('a client’s half-closed connection is passed on as such', async () => {
  const { client } = await chain(
    (socket) => {
      let size = 0;
      socket.on('data', (chunk) => (size += chunk.length)).once('end', () => socket.end(`${size} bytes`));
    },
    { halfClose: true },
  );
  const onEnd = () => ({ code: CLOSE.normal, reason: '' });
  const port = await service((socket) => joinSocket(client, socket, { onEnd, sendHalfClose: true }));
  const local = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  local.end('12345');
  const [answer] = (await once(local, 'data')) as [Buffer];
  expect(answer.toString()).toBe('5 bytes');
  await once(local, 'end');
});

test('a backend whose connection breaks is named', async () => {
  const { client, backends } = await chain(() => {});
  client.resume();
  while (backends.length === 0) await delay(5);
  backends[0]?.terminate();
  expect(await closeOf(client)).toEqual({ code: CLOSE.internalError, reason: 'virt-handler went away' });
});

test('a client whose connection breaks is gone for the service too', async () => {
  const gone = Promise.withResolvers<void>();
  const { client } = await chain((socket) => {
    socket.resume().once('close', () => gone.resolve());
    socket.once('end', () => socket.end());
    socket.write('hello');
  });
  client.resume();
  await once(client, 'message');
  client.terminate();
  await gone.promise;
});

test('the reason of a backend’s close reaches the client', async () => {
  const { client, backends } = await chain(() => {});
  while (backends.length === 0) await delay(5);
  backends[0]?.close(CLOSE.takenOver, 'taken over by alice');
  expect(await closeOf(client)).toEqual({ code: CLOSE.takenOver, reason: 'taken over by alice' });
});

test.each([
  [[PROTOCOL], PROTOCOL],
  [['other', PROTOCOL], PROTOCOL],
  [[], ''],
])('of the subprotocols %j the server takes "%s"', async (offered, taken) => {
  const url = await serve(() => {});
  expect((await open(url, offered)).protocol).toBe(taken);
});

test('a refusal is told with its body', async () => {
  const url = await serve(() => {});
  const refusal: unknown = await open(`${url}no`).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedError);
  expect(refusal).toMatchObject({ status: 503, body: 'busy' });
});

describe('keepAlive', () => {
  test('holds a quiet session for as long as its peer answers', async () => {
    const accepted: WebSocket[] = [];
    const url = await serve((socket) => {
      accepted.push(socket);
      keepAlive(socket, { pingMs: 20, maxUnanswered: 4 });
      socket.resume();
    });
    const client = await open(url);
    client.resume();
    await delay(400);
    expect(client.readyState).toBe(client.OPEN);
    // A client that does not read answers no ping.
    client.pause();
    await once(accepted[0] as WebSocket, 'close');
  });

  test('does not give up a peer that sends faster than it is read', async () => {
    const accepted: WebSocket[] = [];
    const url = await serve((socket) => {
      accepted.push(socket);
      keepAlive(socket, { pingMs: 20, maxUnanswered: 4 });
    });
    const client = await open(url);
    client.send(Buffer.alloc(1_000_000));
    await delay(300);
    expect(accepted[0]?.readyState).toBe(client.OPEN);
  });
});

test.each([
  ['short', 'short'],
  ['x'.repeat(123), 'x'.repeat(123)],
  ['x'.repeat(200), `${'x'.repeat(120)}…`],
  ['é'.repeat(100), `${'é'.repeat(60)}…`],
])('a reason fits its frame', (reason, fitting) => {
  expect(fitReason(reason)).toBe(fitting);
  expect(Buffer.byteLength(fitReason(reason))).toBeLessThanOrEqual(123);
});
