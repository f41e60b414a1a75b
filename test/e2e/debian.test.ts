import { kubectl, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { apply, freshNamespace, guestFile, launcherPod, tinyVmi, untilAgent } from './support/machines.ts';
import { GuestConsole, kubeClient } from './support/streams.ts';

const ns = 'e2e-debian';

const userData = `#cloud-config
hostname: crane
users:
  - default
  - name: dora
    lock_passwd: true
`;

interface FileSystem {
  mountPoint: string;
  fileSystemType: string;
  totalBytes: number;
}

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(
    tinyVmi(ns, 'debian', {
      domain: {
        memory: { guest: '512Mi' },
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'virtio' } },
            { name: 'seed', disk: { bus: 'virtio' } },
            { name: 'scratch', disk: { bus: 'virtio' } },
          ],
          interfaces: [{ name: 'default', masquerade: {}, ports: [{ port: 22 }] }],
        },
      },
      volumes: [
        { name: 'root', containerDisk: { image: 'localhost/yagura/guest-debian:dev' } },
        { name: 'seed', cloudInitNoCloud: { userData } },
        { name: 'scratch', emptyDisk: { capacity: '64Mi' } },
      ],
    }),
  );
  await untilAgent(ns, 'debian', 300_000);
}, 400_000);

afterAll(async () => (await kubeClient()).close());

test('its file systems are listed with their sizes, its users with their names', async () => {
  const base = `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/virtualmachineinstances/debian`;
  const roots = await eventually('the root file system is listed', 60_000, async () => {
    const { items } = JSON.parse(await kubectl('get', '--raw', `${base}/filesystemlist`)) as { items: FileSystem[] };
    return items.some(({ mountPoint }) => mountPoint === '/data') ? items : undefined;
  });
  expect(roots.map(({ mountPoint }) => mountPoint)).toEqual(expect.arrayContaining(['/', '/boot', '/data']));
  expect(roots.find(({ mountPoint }) => mountPoint === '/')?.totalBytes).toBeGreaterThan(500_000_000);
  const users = await eventually('somebody is logged in', 60_000, async () => {
    const { items } = JSON.parse(await kubectl('get', '--raw', `${base}/userlist`)) as {
      items: { userName: string }[];
    };
    return items.length > 0 ? items : undefined;
  });
  expect(users.map(({ userName }) => userName)).toContain('alice');
}, 150_000);

test('cloud-init has read its seed', async () => {
  const hostname = await eventually('the host name of the seed', 120_000, async () => {
    const { stdout } = await yagura('guestosinfo', `${ns}/debian`);
    return stdout.includes('crane') ? stdout : undefined;
  });
  expect(hostname).toContain('crane');
}, 150_000);

test('one logs in through its console', async () => {
  const shell = await GuestConsole.login(ns, 'debian', 'bob', 'bob');
  expect(await shell.run('echo $((6 * 7)) $(whoami)')).toBe('42 bob');
  shell.socket.close();
  await shell.end;
}, 180_000);

test('the empty disk has the size that was asked for', async () => {
  const { items } = JSON.parse(await kubectl('-n', ns, 'get', 'vmi', '-o', 'json')) as {
    items: Parameters<typeof launcherPod>[0][];
  };
  const pod = await launcherPod(items[0] as Parameters<typeof launcherPod>[0]);
  expect(Number(await guestFile(pod, '/sys/block/vdc/size')) * 512).toBe(64 * 2 ** 20);
});

test('systemd shuts it down within its grace', async () => {
  await kubectl('-n', ns, 'delete', 'vmi', 'debian', '--timeout=90s');
  const events = await kubectl(
    '-n',
    ns,
    'get',
    'events',
    '-o',
    'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
  );
  expect(events).toMatch(/^Stopped .*shut down/m);
}, 120_000);
