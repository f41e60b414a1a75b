import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createNetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, connectUnix } from './client.ts';
import { Launcher } from './index.ts';
import { addIntrospection } from './introspection.ts';
import { RpcError, Status } from './rpc-error.ts';
import { addService, createServer, listenUnix, shutdownServer } from './server.ts';
import type { ServiceHandlers } from './service-types.ts';

const unimplemented = async (): Promise<never> => {
  throw new RpcError(Status.UNIMPLEMENTED, 'not in this test');
};

function handlers(overrides: Partial<ServiceHandlers<typeof Launcher>>): ServiceHandlers<typeof Launcher> {
  const all = Object.fromEntries(Launcher.methods.map((method) => [method.localName, unimplemented]));
  return { ...(all as unknown as ServiceHandlers<typeof Launcher>), ...overrides };
}

let dir: string;
let cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'yagura-rpc-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
  await rm(dir, { recursive: true });
});

async function serve(overrides: Partial<ServiceHandlers<typeof Launcher>>): Promise<Connection<typeof Launcher>> {
  const server = createServer();
  addService(server, Launcher, handlers(overrides));
  addIntrospection(server, [Launcher]);
  const socket = join(dir, 's.sock');
  await listenUnix(server, socket);
  const connection = connectUnix(Launcher, socket, { timeoutMs: 2_000 });
  cleanups.push(
    () => shutdownServer(server, 50),
    () => connection.close(),
  );
  return connection;
}

test('64-bit counters arrive exact', async () => {
  const big = 2n ** 64n - 1n;
  const { calls } = await serve({ getDomainStats: async () => ({ cpu: { timeNanoseconds: big } }) });
  const stats = await calls.getDomainStats({});
  expect(stats.cpu?.timeNanoseconds).toBe(big);
  expect(stats.cpu?.userNanoseconds).toBeUndefined();
});

test('an error keeps its code, message, reason and field violations', async () => {
  const { calls } = await serve({
    syncVirtualMachine: async () => {
      throw new RpcError(Status.INVALID_ARGUMENT, 'bus "ide" is unknown', {
        reason: 'UNKNOWN_BUS',
        metadata: { disk: 'root' },
        violations: [{ field: 'spec.domain.devices.disks[0].disk.bus', description: 'use virtio, sata, scsi or usb' }],
      });
    },
  });
  const error = await calls.syncVirtualMachine({}).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({
    code: Status.INVALID_ARGUMENT,
    message: 'bus "ide" is unknown',
    details: {
      reason: 'UNKNOWN_BUS',
      metadata: { disk: 'root' },
      violations: [{ field: 'spec.domain.devices.disks[0].disk.bus', description: 'use virtio, sata, scsi or usb' }],
    },
  });
});

test('an unexpected exception becomes INTERNAL with its message', async () => {
  const { calls } = await serve({
    ping: async () => {
      throw new TypeError('x is not a function');
    },
  });
  await expect(calls.ping({})).rejects.toMatchObject({ code: Status.INTERNAL, message: 'x is not a function' });
});

test('a handler that never answers ends at the deadline, and is told', async () => {
  let told = false;
  const { calls } = await serve({
    guestPing: async (_request, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          told = true;
          reject(new RpcError(Status.CANCELLED, 'client left'));
        }),
      ),
  });
  await expect(calls.guestPing({}, { timeoutMs: 50 })).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  await expect(calls.ping({})).rejects.toMatchObject({ code: Status.UNIMPLEMENTED });
  expect(told).toBe(true);
});

test('a stream delivers in order and its end reaches the handler when the client leaves', async () => {
  let finished: () => void = () => {};
  const left = new Promise<void>((resolve) => (finished = resolve));
  const { calls } = await serve({
    watchDomain: async function* (_request, { signal }) {
      try {
        for (let i = 0; !signal.aborted; i += 1) yield { domain: { name: String(i) } };
      } finally {
        finished();
      }
    },
  });
  const seen: string[] = [];
  for await (const { domain } of calls.watchDomain({})) {
    seen.push(domain?.name ?? '');
    if (seen.length === 500) break;
  }
  expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => String(i)));
  await left;
});

test('a server ends although a client keeps a stream open, and the client is told', async () => {
  const server = createServer();
  const forever = async function* (_request: object, { signal }: { signal: AbortSignal }) {
    yield { domain: { name: 'x' } };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  addService(server, Launcher, handlers({ watchDomain: forever }));
  await listenUnix(server, join(dir, 'open.sock'));
  const connection = connectUnix(Launcher, join(dir, 'open.sock'));
  cleanups.push(() => connection.close());
  const stream = connection.calls.watchDomain({})[Symbol.asyncIterator]();
  await stream.next();
  const end = stream.next().then(
    () => 'ended',
    () => 'ended',
  );
  await shutdownServer(server, 20);
  expect(await end).toBe('ended');
});

test('a stale socket file is replaced, a living one is not', async () => {
  const socket = join(dir, 's.sock');
  await writeFile(socket, '');
  const { calls } = await serve({ ping: async () => ({ version: '1' }) });
  expect((await calls.ping({})).version).toBe('1');
  await expect(listenUnix(createServer(), socket)).rejects.toThrow(`another server already listens on ${socket}`);
  expect((await stat(socket)).mode & 0o777).toBe(0o770);
});

test('a path that the kernel would cut is refused by name and length', async () => {
  const long = `/${'x'.repeat(107)}`;
  expect(() => connectUnix(Launcher, long)).toThrow(`socket path ${long} is 108 bytes long`);
  expect(() => connectUnix(Launcher, 'a/b')).toThrow('socket path a/b is not absolute');
});

test('a client finds its server again after a restart on the same path', async () => {
  const socket = join(dir, 'restart.sock');
  const start = async (version: string) => {
    const server = createServer();
    addService(server, Launcher, handlers({ ping: async () => ({ version }) }));
    await listenUnix(server, socket);
    return server;
  };
  const first = await start('1');
  const connection = connectUnix(Launcher, socket, { timeoutMs: 2_000 });
  cleanups.push(() => connection.close());
  expect((await connection.calls.ping({})).version).toBe('1');
  first.forceShutdown();
  const second = await start('2');
  cleanups.push(() => shutdownServer(second, 50));
  const deadline = Date.now() + 5_000;
  let version = '';
  while (version !== '2' && Date.now() < deadline) {
    version = await connection.calls.ping({}).then(
      (response) => response.version,
      () => '',
    );
  }
  expect(version).toBe('2');
});

test('a server that is not there is UNAVAILABLE', async () => {
  const socket = join(dir, 'none.sock');
  const connection = connectUnix(Launcher, socket, { timeoutMs: 500 });
  cleanups.push(() => connection.close());
  await expect(connection.calls.ping({})).rejects.toMatchObject({ code: Status.UNAVAILABLE });
  // A plain listener that speaks no HTTP/2 is no launcher either.
  const accepted: Socket[] = [];
  const deaf = createNetServer((peer) => accepted.push(peer)).listen(join(dir, 'deaf.sock'));
  cleanups.push(() => {
    for (const peer of accepted) peer.destroy();
    deaf.close();
  });
  const other = connectUnix(Launcher, join(dir, 'deaf.sock'), { timeoutMs: 300 });
  cleanups.push(() => other.close());
  await expect(other.calls.ping({})).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
});
