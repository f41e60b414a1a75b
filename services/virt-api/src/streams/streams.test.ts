import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeError } from '@yagura/kube';
import { createLogger } from '@yagura/runtime';
import { acceptWebSocket, CLOSE, openWebSocket, PROTOCOL, RefusedError, type WebSocket } from '@yagura/streams';
import { Router } from '../http/router.ts';
import { serve, serveUpgrade } from '../http/serve.ts';
import { deviceCall } from './device-call.ts';
import { OpenStreams } from './open-streams.ts';
import { portForwardCall } from './port-forward.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });
const user = { username: 'jane', groups: [], extra: {} };
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** virt-api's streams without TLS and roles, before a handler that is `onHandler` and a cluster with one VMI. */
async function api(
  options: {
    onHandler?: (socket: WebSocket, path: string) => void;
    refusal?: RefusedError;
    podIP?: string;
    owner?: string;
  } = {},
) {
  const vmi = {
    metadata: { name: 'vm', namespace: 'ns', uid: 'U' },
    status: { phase: 'Running', nodeName: 'n1', interfaces: [{ ipAddress: '127.0.0.1' }] },
  };
  let there = true;
  const client = {
    get: async () => {
      if (there) return vmi;
      throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
    },
    list: async () => ({
      items: [
        {
          metadata: { ownerReferences: [{ controller: true, uid: options.owner ?? 'U' }] },
          status: { podIPs: [{ ip: options.podIP ?? '127.0.0.1' }] },
        },
      ],
    }),
  } as never;
  const handler = createServer();
  handler.on('upgrade', (request, socket, head) => {
    void acceptWebSocket(request, socket, head).then((accepted) => {
      options.onHandler?.(accepted, request.url ?? '');
      accepted.resume();
    });
  });
  await once(handler.listen(0, '127.0.0.1'), 'listening');
  const handlerUrl = `ws://127.0.0.1:${(handler.address() as AddressInfo).port}`;
  const handlers = {
    stream: async (_node: string, _vmi: object, stream: string) => {
      if (options.refusal) throw options.refusal;
      return openWebSocket(`${handlerUrl}/${stream}`, []);
    },
  };
  const open: string[] = [];
  const streams = new OpenStreams((kind, { name }) => {
    open.push(`${kind} ${name}`);
    return () => open.splice(open.indexOf(`${kind} ${name}`), 1);
  });
  const router = new Router();
  const call = { client, handlers, streams };
  const forward = portForwardCall({ client, streams, lookMs: 20 }, 'vmi');
  for (const [path, route] of [
    ['console', deviceCall(call, 'console')],
    ['vnc', deviceCall(call, 'vnc')],
    ['portforward/:port', forward],
    ['portforward/:port/:protocol', forward],
  ] as const)
    router.add('GET', `/:namespace/:name/${path}`, async (context) => route(context, user));
  const server = createServer((request, response) => void serve({ router, log }, request, response));
  server.on('upgrade', (request, socket: Socket, head) => void serveUpgrade({ router, log }, request, socket, head));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    for (const each of [server, handler]) {
      each.close();
      each.closeAllConnections();
    }
  });
  const root = `127.0.0.1:${(server.address() as AddressInfo).port}/ns/vm`;
  const connect = async (path: string): Promise<WebSocket> => {
    const socket = await openWebSocket(`ws://${root}/${path}`, [PROTOCOL]);
    cleanups.push(() => socket.terminate());
    socket.resume();
    return socket;
  };
  return { connect, http: `http://${root}`, open, streams, leave: () => (there = false) };
}

const closeOf = async (socket: WebSocket) => {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
};
const eventually = async (condition: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + 5_000; !condition(); await delay(5))
    if (Date.now() > deadline) throw new Error('not within 5 s');
};
const messageOf = async (socket: WebSocket) => String(((await once(socket, 'message')) as [Buffer])[0]);

test('the console is the handler’s, counted while it is open', async () => {
  const { connect, open } = await api({
    onHandler: (socket) => socket.on('message', (data: Buffer) => socket.send(`guest: ${data.toString()}`)),
  });
  const socket = await connect('console');
  expect(socket.protocol).toBe(PROTOCOL);
  socket.send('hi');
  expect(await messageOf(socket)).toBe('guest: hi');
  expect(open).toEqual(['console vm']);
  socket.close();
  await closeOf(socket);
  await eventually(() => open.length === 0);
});

test('preserveSession goes to the handler, and its refusal to the client as it is', async () => {
  const paths: string[] = [];
  const { connect } = await api({ onHandler: (_socket, path) => paths.push(path) });
  await connect('vnc?preserveSession=true');
  expect(paths).toEqual(['/vnc?preserveSession=true']);
  const body = JSON.stringify({ kind: 'Status', message: 'Active VNC connection. Request denied.' });
  const busy = await api({ refusal: new RefusedError(503, body) });
  const refused = await busy.connect('vnc').catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'RefusedError', status: 503 });
  expect(JSON.parse((refused as RefusedError).body)).toMatchObject({
    message: 'Active VNC connection. Request denied.',
    code: 503,
  });
});

test('a handler that dies is named', async () => {
  const { connect } = await api({ onHandler: (socket) => setTimeout(() => socket.terminate(), 20) });
  const reason = 'the connection to virt-handler on node n1 broke; connect again';
  expect(await closeOf(await connect('console'))).toEqual({ code: CLOSE.internalError, reason });
});

test('a virt-api that stops says that the guest does not', async () => {
  const { connect, streams } = await api();
  const socket = await connect('console');
  const closed = closeOf(socket);
  streams.closeAll();
  const reason = 'virt-api stops; the guest runs on, connect again';
  expect(await closed).toEqual({ code: CLOSE.goingAway, reason });
});

test('whoever asks for no websocket is told so', async () => {
  const { http } = await api();
  const response = await fetch(`${http}/console`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ reason: 'BadRequest', message: expect.stringContaining('websocket') });
});

describe('portforward', () => {
  async function tcp(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      cleanups.push(() => socket.destroy());
      onConnection(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  test('is a TCP connection to the address of the guest', async () => {
    const port = await tcp((socket) => socket.on('data', (data) => socket.end(`got ${data.toString()}`)));
    const { connect, open } = await api();
    const socket = await connect(`portforward/${port}`);
    const closed = closeOf(socket);
    socket.send('ping');
    expect(await messageOf(socket)).toBe('got ping');
    expect(await closed).toEqual({ code: CLOSE.normal, reason: 'the guest has closed the connection' });
    await eventually(() => open.length === 0);
  });

  test.each([
    [{ podIP: '10.244.0.7' }, 'an address that only the guest says it has'],
    [{ owner: 'somebody' }, 'an address of a pod that somebody has made for it'],
  ])('with %j goes not to %s', async (options, _what) => {
    const reached: Socket[] = [];
    const port = await tcp((socket) => reached.push(socket));
    const { connect } = await api(options);
    const refused: unknown = await connect(`portforward/${port}`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('only the guest says') });
    expect(reached).toEqual([]);
  });

  test('of UDP sends each message as a datagram', async () => {
    const server = createSocket('udp4');
    server.on('message', (data, from) => server.send(`got ${data.toString()}`, from.port, from.address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { connect } = await api();
    const socket = await connect(`portforward/${server.address().port}/udp`);
    socket.send('one');
    expect(await messageOf(socket)).toBe('got one');
    socket.send('two');
    expect(await messageOf(socket)).toBe('got two');
  });

  test('to a port that nobody listens on is a 500 that says so', async () => {
    const { connect } = await api();
    const refused: unknown = await connect('portforward/1').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 500, body: expect.stringContaining('dialing VM: connect ECONNREFUSED') });
  });

  test('ends with the guest, whose connections say nothing of it', async () => {
    const port = await tcp(() => {});
    const { connect, leave } = await api();
    const socket = await connect(`portforward/${port}`);
    leave();
    expect(await closeOf(socket)).toEqual({ code: CLOSE.normal, reason: 'the virtual machine has ended' });
  });
});
