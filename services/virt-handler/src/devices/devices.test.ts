import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addService, connectUnix, createServer, listenUnix } from '@yagura/contracts';
import { DevicePlugin, type RegisterRequest, Registration } from '@yagura/contracts/device-plugin';
import { createLogger } from '@yagura/runtime';
import type { DeviceResource } from './catalog.ts';
import { DevicePlugins } from './device-plugins.ts';
import { allocation, servePlugin } from './plugin-server.ts';

const stop = new AbortController();
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dp-'));
});
afterAll(() => stop.abort());

const resource = (available: () => boolean): DeviceResource => ({
  name: 'devices.kubevirt.io/kvm',
  count: 3,
  grant: { devices: [{ path: '/dev/kvm', permissions: 'mrw' }], mounts: [] },
  available: async () => available(),
});

test('every container gets the device and the mounts, once', () => {
  const grant = {
    devices: [{ path: '/dev/kvm', permissions: 'mrw' }],
    mounts: [{ hostPath: '/h', containerPath: '/c' }],
  };
  const one = {
    devices: [{ hostPath: '/dev/kvm', containerPath: '/dev/kvm', permissions: 'mrw' }],
    mounts: [{ hostPath: '/h', containerPath: '/c', readOnly: true }],
  };
  expect(allocation({ grant }, 2)).toEqual({ containerResponses: [one, one] });
});

test('the kubelet hears of a device that the node loses', async () => {
  let there = true;
  const socket = join(directory, 'p.sock');
  const plugin = await servePlugin(
    resource(() => there),
    socket,
  );
  const connection = connectUnix(DevicePlugin, socket);
  const counts: number[] = [];
  for await (const { devices } of connection.calls.listAndWatch({})) {
    counts.push(devices.length);
    if (counts.length === 2) break;
    there = false;
    await plugin.refresh();
  }
  expect(counts).toEqual([3, 0]);
  connection.close();
  await plugin.close();
});

test('a plugin closes while the kubelet still listens to its list', async () => {
  const socket = join(directory, 'p.sock');
  const plugin = await servePlugin(
    resource(() => true),
    socket,
  );
  const connection = connectUnix(DevicePlugin, socket);
  const lists = connection.calls.listAndWatch({})[Symbol.asyncIterator]();
  await lists.next();
  const ended = lists.next();
  await plugin.close();
  expect((await ended).done).toBe(true);
  connection.close();
});

/** A kubelet as far as plugins see it: it clears the directory when it starts, and takes registrations. */
async function kubelet(onRegister: (request: RegisterRequest) => void) {
  for (const name of await readdir(directory)) await rm(join(directory, name));
  const server = createServer();
  addService(server, Registration, {
    register: async (request) => {
      onRegister(request);
      return {};
    },
  });
  await listenUnix(server, join(directory, 'kubelet.sock'));
  return server;
}

test('a kubelet that starts anew is registered with again, on a socket that answers', async () => {
  const registered: RegisterRequest[] = [];
  let wake = () => {};
  const next = async (count: number) => {
    while (registered.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const onRegister = (request: RegisterRequest) => {
    registered.push(request);
    wake();
  };
  const first = await kubelet(onRegister);
  const plugins = new DevicePlugins(
    directory,
    [resource(() => true)],
    createLogger('test', '0').child({}, { level: 'silent' }),
  );
  expect(plugins.unregistered()).toBe('not registered with the kubelet: devices.kubevirt.io/kvm');
  const running = plugins.run(stop.signal);
  await next(1);
  first.forceShutdown();
  const second = await kubelet(onRegister);
  await next(2);
  expect(registered[1]).toMatchObject({ version: 'v1beta1', resourceName: 'devices.kubevirt.io/kvm' });
  const connection = connectUnix(DevicePlugin, join(directory, registered[1]?.endpoint ?? ''));
  const { containerResponses } = await connection.calls.allocate({ containerRequests: [{ devicesIds: ['kvm0'] }] });
  expect(containerResponses).toHaveLength(1);
  connection.close();
  stop.abort();
  await running;
  second.forceShutdown();
});
