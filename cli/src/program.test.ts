import { KubeError } from '@yagura/kube';
import type { CliContext } from './context.ts';
import { program } from './program.ts';

interface Asked {
  method?: string;
  path: string;
  body?: unknown;
}

/** Runs a command line against a client that answers with `answer` and remembers what it was asked. */
async function run(args: string[], answer: unknown = {}): Promise<{ out: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  let out = '';
  const client = {
    access: { namespace: 'here' },
    request: async (request: Asked) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: () => {},
  };
  const context: Partial<CliContext> = {
    client: async () => client as never,
    out: (text) => {
      out += text;
    },
    interactive: false,
  };
  const root = program('yagura', new AbortController().signal, context).exitOverride();
  for (const command of root.commands) command.exitOverride();
  await root.parseAsync(['node', 'yagura', ...args]);
  return { out, asked };
}

const root = '/apis/subresources.kubevirt.io/v1/namespaces';

test.each([
  ['start ns/vm', `${root}/ns/virtualmachines/vm/start`, {}],
  ['start vm --paused', `${root}/here/virtualmachines/vm/start`, { paused: true }],
  ['stop ns/vm --grace-period 5', `${root}/ns/virtualmachines/vm/stop`, { gracePeriod: 5 }],
  ['stop ns/vm --dry-run', `${root}/ns/virtualmachines/vm/stop`, { dryRun: ['All'] }],
  ['restart ns/vm --force', `${root}/ns/virtualmachines/vm/restart`, { gracePeriodSeconds: 0 }],
  ['pause ns/vm', `${root}/ns/virtualmachineinstances/vm/pause`, {}],
  ['unpause ns/vm', `${root}/ns/virtualmachineinstances/vm/unpause`, {}],
  ['softreboot ns/vm', `${root}/ns/virtualmachineinstances/vm/softreboot`, {}],
  ['reset ns/vm --dry-run', `${root}/ns/virtualmachineinstances/vm/reset`, { dryRun: ['All'] }],
  ['freeze ns/vm', `${root}/ns/virtualmachineinstances/vm/freeze`, {}],
  ['freeze vm --unfreeze-timeout 90s', `${root}/here/virtualmachineinstances/vm/freeze`, { unfreezeTimeout: '90s' }],
  ['unfreeze ns/vm', `${root}/ns/virtualmachineinstances/vm/unfreeze`, {}],
])('yagura %s puts %s', async (line, path, body) => {
  const { asked } = await run(line.split(' '));
  expect(asked).toEqual([{ method: 'PUT', path, body }]);
});

test.each([
  ['guestosinfo ns/vm', 'guestosinfo'],
  ['userlist ns/vm -o json', 'userlist'],
  ['fslist ns/vm -o yaml', 'filesystemlist'],
])('yagura %s gets %s', async (line, subresource) => {
  const { asked } = await run(line.split(' '), { items: [] });
  expect(asked).toEqual([{ path: `${root}/ns/virtualmachineinstances/vm/${subresource}` }]);
});

test('file systems are a table for people', async () => {
  const items = [
    {
      diskName: 'vda1',
      mountPoint: '/',
      fileSystemType: 'ext4',
      usedBytes: 512 * 1024 ** 2,
      totalBytes: 2 * 1024 ** 3,
    },
  ];
  expect((await run(['fslist', 'ns/vm'], { items })).out).toBe(
    'MOUNTED ON   DISK   TYPE   USED        SIZE      USE\n/            vda1   ext4   512.0 MiB   2.0 GiB   25 %\n',
  );
});

test('nobody logged in is said in words', async () => {
  expect((await run(['userlist', 'ns/vm'], { items: [] })).out).toBe('No user is logged in.\n');
});

test('layers prints of what and when, then the table', async () => {
  const report = {
    metadata: { namespace: 'ns', name: 'vm' },
    node: 'n1',
    generatedAt: '2026-01-01T00:00:10Z',
    observations: [
      {
        layer: 'domain',
        field: 'state',
        value: 'running',
        source: 'libvirt',
        observedAt: '2026-01-01T00:00:08Z',
        maxAge: 5,
        freshness: 'live',
      },
    ],
  };
  const { out } = await run(['layers', 'ns/vm'], report);
  expect(out).toBe(
    'ns/vm on node n1, 2026-01-01T00:00:10Z\n\nLAYER   FIELD  VALUE    SOURCE   AGE  FRESHNESS\ndomain  state  running  libvirt  2s   live\n',
  );
});

test('grpc describes methods without a cluster', async () => {
  const { out, asked } = await run(['grpc', 'ns/vm', 'describe', 'guestping']);
  expect(out).toBe(
    'rpc GuestPing\nmessage yagura.launcher.v1.GuestPingRequest {}\nmessage yagura.launcher.v1.GuestPingResponse {\n  google.protobuf.Duration round_trip = 1;\n}\n',
  );
  expect(asked).toEqual([]);
});

test('grpc lists the methods of the service', async () => {
  expect((await run(['grpc', 'ns/vm'])).out).toContain(
    '  rpc WatchDomain(WatchDomainRequest) returns (stream WatchDomainResponse);\n',
  );
});

test.each([
  [['grpc', 'ns/vm', 'Nope'], 'the launcher has no method Nope; it has SyncVirtualMachine'],
  [['grpc', 'ns/vm', 'Ping', '{'], 'the request is not JSON'],
  [['stop', 'ns/vm', '--grace-period', 'soon'], '"soon" is not a number of seconds'],
  [['layers', 'a/b/c'], 'is not NAMESPACE/NAME'],
  [['console', 'ns/vm', '--timeout', 'soon'], '"soon" is not a number of minutes'],
  [['vnc', 'ns/vm', '--port', '99999'], '"99999" is not a port number'],
  [['port-forward', 'ns/vm', 'sctp/80'], 'protocol "sctp" is unknown'],
  [['port-forward', 'ns/vm', '--stdio', '80', '81'], '--stdio takes exactly one port'],
])('%j is refused in words', async (args, text) => {
  await expect(run(args)).rejects.toThrow(text);
});

test('what the API server refuses is passed on', async () => {
  const refusal = new KubeError({ code: 409, reason: 'Conflict', message: 'VM is not running' }, 'PUT /x');
  await expect(run(['stop', 'ns/vm'], refusal)).rejects.toThrow('VM is not running');
});

test('version tells both sides, or the client alone', async () => {
  expect((await run(['version'], { gitVersion: 'v9' })).out).toBe('Client  v0.1.0\nServer  v9\n');
  expect((await run(['version', '--client'])).asked).toEqual([]);
});
