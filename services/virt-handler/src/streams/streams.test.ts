import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLOSE, openWebSocket, RefusedError, type WebSocket } from '@yagura/streams';
import { PodPaths } from '../pod/paths.ts';
import { HttpError } from '../rest/errors.ts';
import type { Instance } from '../rest/instances.ts';
import { connectGuestSocket } from './guest-socket.ts';
import { Streams } from './streams.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** As long as the kubelet's, so that no socket under it can be named by its whole path. */
const POD = '6f0c1f4e-9c0a-4d7b-8f2e-1b1f6a0e7c11';
const UID = '0a5c8d6e-1111-4222-8333-444455556666';

function pods() {
  const root = mkdtempSync(join(tmpdir(), 'pods-'));
  const paths = new PodPaths(root, root);
  const directory = join(paths.emptyDir(POD, 'private'), UID);
  mkdirSync(directory, { recursive: true });
  return { paths, directory };
}

/** A QEMU that serves one client at a time, as its sockets do, and echoes. */
async function qemu(directory: string, name: string): Promise<{ clients: Socket[]; end: () => void }> {
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    clients.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => socket.write(`${name}: ${data.toString()}`));
  });
  // The path is too long for a socket, so it is made at a short one and linked to the long one as a hard link would be.
  const cwd = process.cwd();
  process.chdir(directory);
  server.listen(name);
  process.chdir(cwd);
  await once(server, 'listening');
  const end = () => {
    server.close();
    for (const client of clients) client.destroy();
  };
  cleanups.push(end);
  return { clients, end };
}

async function handler(instance: Partial<Instance> = {}) {
  const { paths, directory } = pods();
  const vmi = { metadata: { namespace: 'ns', name: 'vm', uid: UID }, status: { phase: 'Running' } };
  const found = { vmi, pod: { metadata: { uid: POD } }, link: undefined, ...instance } as unknown as Instance;
  const instances = {
    find: (_namespace: string, name: string) => {
      if (name !== 'vm') throw new HttpError(404, 'not found');
      return found;
    },
  };
  const streams = new Streams({ instances, paths });
  const server = createHttpServer();
  server.on('upgrade', (request, socket, head) => {
    cleanups.push(() => socket.destroy());
    streams.upgrade(request, socket, head).catch((error: HttpError) => {
      const body = error.message;
      socket.end(`HTTP/1.1 ${error.code} No\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => server.close());
  const root = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/namespaces/ns/virtualmachineinstances`;
  const open = async (path: string, user?: string): Promise<WebSocket> => {
    const socket = await openWebSocket(`${root}/${path}`, [], { headers: user ? { 'x-remote-user': user } : {} });
    cleanups.push(() => socket.terminate());
    return socket;
  };
  return { directory, open, streams, found, root };
}

const closeOf = async (socket: WebSocket) => {
  socket.resume();
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
};
const answerTo = async (socket: WebSocket, text: string) => {
  socket.resume();
  socket.send(text);
  const [data] = (await once(socket, 'message')) as [Buffer];
  return data.toString();
};

test('the console is the guest’s serial port, whatever the length of its path', async () => {
  const { directory, open } = await handler();
  await qemu(directory, 'virt-serial0');
  expect(directory.length).toBeGreaterThan(107);
  expect(await answerTo(await open('vm/console'), 'login')).toBe('virt-serial0: login');
});

test('a second client takes over, and the first learns who it is', async () => {
  const { directory, open } = await handler();
  const { clients } = await qemu(directory, 'virt-serial0');
  const first = await open('vm/console', 'alice');
  await answerTo(first, 'a');
  const closed = closeOf(first);
  const second = await open('vm/console', encodeURIComponent('bob@example.com/ü'));
  expect(await closed).toEqual({ code: CLOSE.takenOver, reason: 'taken over by bob@example.com/ü' });
  expect(await answerTo(second, 'b')).toBe('virt-serial0: b');
  expect(clients[0]?.destroyed || clients[0]?.readableEnded).toBe(true);
  const lost = closeOf(second);
  await open('vm/console');
  expect(await lost).toEqual({ code: CLOSE.takenOver, reason: 'taken over by another client' });
});

test('console and VNC of one guest do not disturb each other', async () => {
  const { directory, open } = await handler();
  await qemu(directory, 'virt-serial0');
  await qemu(directory, 'virt-vnc');
  const console = await open('vm/console');
  const vnc = await open('vm/vnc');
  expect(await answerTo(console, 'x')).toBe('virt-serial0: x');
  expect(await answerTo(vnc, 'x')).toBe('virt-vnc: x');
});

test('a VNC session that is to be preserved is', async () => {
  const { directory, open } = await handler();
  await qemu(directory, 'virt-vnc');
  const first = await open('vm/vnc?preserveSession=true');
  await answerTo(first, 'a');
  const refusal: unknown = await open('vm/vnc?preserveSession=true').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedError);
  expect(refusal).toMatchObject({ status: 503, body: 'Active VNC connection. Request denied.' });
  expect(await answerTo(first, 'b')).toBe('virt-vnc: b');
  first.close();
  await closeOf(first);
  await delay(50);
  expect(await answerTo(await open('vm/vnc?preserveSession=true'), 'c')).toBe('virt-vnc: c');
});

test('an upgrade to something else is refused, and does not take the device', async () => {
  const { directory, root } = await handler();
  const { clients } = await qemu(directory, 'virt-serial0');
  const headers = { connection: 'upgrade', upgrade: 'h2c' };
  const asking = request(`${root.replace('ws:', 'http:')}/vm/console`, { headers }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(400);
  expect(clients).toEqual([]);
});

test('a session ends with its guest, and says so', async () => {
  const domain = { end: { message: 'the guest shut itself down' } };
  const { directory, open } = await handler({ link: { domain } as never });
  const { end } = await qemu(directory, 'virt-serial0');
  const socket = await open('vm/console');
  await answerTo(socket, 'x');
  const closed = closeOf(socket);
  end();
  const reason = 'the virtual machine has ended: the guest shut itself down';
  expect(await closed).toEqual({ code: CLOSE.normal, reason });
});

test('when virt-handler stops, its clients learn that the guest does not', async () => {
  const { directory, open, streams } = await handler();
  await qemu(directory, 'virt-serial0');
  const socket = await open('vm/console');
  const closed = closeOf(socket);
  streams.closeAll({ code: CLOSE.goingAway, reason: 'virt-handler stops' });
  expect(await closed).toEqual({ code: CLOSE.goingAway, reason: 'virt-handler stops' });
});

test.each([
  ['vm/console', {}, 400, 'the guest has no virt-serial0'],
  ['vm/usbredir', {}, 404, 'usbredir is no stream'],
  ['nobody/console', {}, 404, 'not found'],
  ['vm/console', { pod: undefined }, 503, 'no launcher'],
  ['vm/console', { vmi: { metadata: { uid: UID, name: 'vm' }, status: { phase: 'Succeeded' } } }, 409, 'has ended'],
])('%s of %j is refused with %i', async (path, instance, status, text) => {
  const { open } = await handler(instance as never);
  await expect(open(path)).rejects.toMatchObject({ status, body: expect.stringContaining(text) });
});

describe('what the pod puts in place of its socket', () => {
  test('as a link to another server of the node is not followed', async () => {
    const { paths, directory } = pods();
    const elsewhere = mkdtempSync(join(tmpdir(), 'node-'));
    const { clients } = await qemu(elsewhere, 'containerd.sock');
    symlinkSync(join(elsewhere, 'containerd.sock'), join(directory, 'virt-serial0'));
    const socket = connectGuestSocket(paths.emptyDir(POD, 'private'), UID, 'virt-serial0');
    await expect(socket).rejects.toThrow('not a socket');
    expect(clients).toEqual([]);
  });

  test('as a directory that is a link is not entered', async () => {
    const { paths, directory } = pods();
    const elsewhere = mkdtempSync(join(tmpdir(), 'node-'));
    await qemu(elsewhere, 'virt-serial0');
    symlinkSync(elsewhere, join(directory, 'link'));
    const socket = connectGuestSocket(directory, 'link', 'virt-serial0');
    await expect(socket).rejects.toThrow('the guest has no virt-serial0');
    expect(paths.here).not.toBe('');
  });

  test('as a file is no socket', async () => {
    const { paths, directory } = pods();
    writeFileSync(join(directory, 'virt-serial0'), '');
    const socket = connectGuestSocket(paths.emptyDir(POD, 'private'), UID, 'virt-serial0');
    await expect(socket).rejects.toThrow('not a socket');
  });
});
