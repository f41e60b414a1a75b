import { KubeError } from '@yagura/kube';
import type { CliContext } from './context.ts';
import { program } from './program.ts';

interface Asked {
  method?: string;
  path: string;
  body?: unknown;
}

/** Runs a command line against a client that answers with `answer` and remembers what it was asked. */
async function run(
  args: string[],
  answer: unknown = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ out: string; err: string; asked: Asked[]; code: number }> {
  const asked: Asked[] = [];
  let out = '';
  let err = '';
  let code = 0;
  const client = {
    access: { namespace: 'here' },
    request: async (request: Asked) => {
      asked.push(request);
      const given = typeof answer === 'function' ? answer(request.path) : answer;
      if (given instanceof Error) throw given;
      return given;
    },
    dated: async (request: Asked) => {
      const given = typeof answer === 'function' ? answer(request.path) : answer;
      if (given instanceof Error) throw given;
      return { body: given, date: undefined };
    },
    list: async ({ plural }: { plural: string }) => ({
      items: typeof answer === 'function' ? answer(plural) : [],
    }),
    close: () => {},
  };
  const context: Partial<CliContext> = {
    client: async () => client as never,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    exitCode: (value) => {
      code = value;
    },
    interactive: false,
  };
  const root = program('yagura', signal, context).exitOverride();
  for (const command of root.commands) command.exitOverride();
  await root.parseAsync(['node', 'yagura', ...args]);
  return { out, err, asked, code };
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

test('layers --logs adds the last words of launcher and virt-handler, as far as the caller may read them', async () => {
  const observed = (field: string, value: string) => ({
    layer: 'kubernetes',
    field,
    value,
    source: 'Pod',
    observedAt: '2026-01-01T00:00:08Z',
    maxAge: 5,
    freshness: 'live',
  });
  const report = {
    metadata: { namespace: 'ns', name: 'vm' },
    node: 'n1',
    generatedAt: '2026-01-01T00:00:10Z',
    observations: [observed('pod.name', 'virt-launcher-vm')],
  };
  const lines = Array.from({ length: 30 }, (_, index) => `{"vmi":"ns/${index % 2 ? 'vm' : 'other'}","n":${index}}`);
  const answer = (asked: string) => {
    if (asked === 'kubevirts') return [{ metadata: { namespace: 'yagura' } }];
    if (asked === 'pods') return [{ metadata: { name: 'virt-handler-x' }, status: { phase: 'Running' } }];
    if (asked.endsWith('virt-launcher-vm/log')) throw new KubeError({ code: 403, message: 'you may not' }, 'GET log');
    return asked.endsWith('/log') ? lines.join('\n') : report;
  };
  const { out } = await run(['layers', 'ns/vm', '--logs'], answer);
  const logs = out.slice(out.indexOf('LOG ')).split('\n');
  expect(logs.slice(0, 3)).toEqual(['LOG yagura/virt-handler-x virt-handler', lines[1], lines[3]]);
  expect(logs.filter((line) => line.includes('other'))).toEqual([]);
  expect(out).toContain('LOG ns/virt-launcher-vm compute\nnot read: GET log: you may not\n');
});

test('layers ends with what has changed last', async () => {
  const changes = [
    {
      seq: 9,
      time: '2026-01-01T00:00:09Z',
      kind: 'event',
      layer: 'domain',
      field: 'lifecycle',
      source: 'libvirt',
      message: 'x',
    },
  ];
  const report = {
    metadata: { namespace: 'ns', name: 'vm' },
    generatedAt: '2026-01-01T00:00:10Z',
    observations: [],
    changes,
  };
  expect((await run(['layers', 'ns/vm'], report)).out).toMatch(
    /\n\nLast changes \(all of them: yagura timeline ns\/vm\):\n2026-01-01T00:00:09Z +domain +libvirt +lifecycle: x\n$/,
  );
});

describe('timeline', () => {
  const change = (seq: number, layer: string, seconds: number) => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
    return { seq, time, kind: 'change', layer, field: `f${seq}`, source: 's', old: null, new: seq };
  };
  const runs = [{ uid: 'U', node: 'n1', startedAt: 'T0', lastAt: 'T1', recording: true }];
  const timeline = {
    metadata: { namespace: 'ns', name: 'vm', uid: 'U' },
    node: 'n1',
    generatedAt: '2026-01-01T00:01:00Z',
    recording: true,
    dropped: 0,
    entries: [change(1, 'domain', 0), change(2, 'guest', 30), change(3, 'domain', 50)],
    runs,
  };
  const path = `${root}/ns/virtualmachineinstances/vm/timeline`;
  const fieldsOf = (out: string) => [...out.matchAll(/ (f\d):/g)].map(([, field]) => field);

  test('prints of which run it is, then a line an entry', async () => {
    const { out, asked } = await run(['timeline', 'ns/vm'], timeline);
    expect(out).toMatch(/^ns\/vm on node n1 \(uid U\)\n\nTIME +LAYER +SOURCE +WHAT\n/);
    expect(fieldsOf(out)).toEqual(['f1', 'f2', 'f3']);
    expect(asked).toEqual([{ path }]);
  });

  test.each<[string, string[]]>([
    ['--since 35s', ['f2', 'f3']],
    ['--layer domain', ['f1', 'f3']],
    ['--layer domain --layer guest --since 15s', ['f3']],
  ])('%s', async (line, fields) => {
    expect(fieldsOf((await run(['timeline', 'ns/vm', ...line.split(' ')], timeline)).out)).toEqual(fields);
  });

  test('as JSON it is what was answered, as far as it was asked for', async () => {
    const { out } = await run(['timeline', 'ns/vm', '-o', 'json', '--layer', 'guest'], timeline);
    expect(JSON.parse(out)).toEqual({ ...timeline, entries: [timeline.entries[1]] });
  });

  test('a run is asked for by its uid, and runs are listed', async () => {
    expect((await run(['timeline', 'ns/vm', '--uid', 'a&b'], timeline)).asked).toEqual([{ path: `${path}?uid=a%26b` }]);
    const { out, asked } = await run(['timeline', 'ns/vm', '--runs'], timeline);
    expect(asked).toEqual([{ path: `${path}?runs=true` }]);
    expect(out).toBe('UID  NODE  FROM  LAST ENTRY  STATE\nU    n1    T0    T1          recorded\n');
  });

  test('watching prints only what comes, and goes on when it is not answered for a while', async () => {
    const stop = new AbortController();
    const answers = [
      timeline,
      new KubeError({ code: 503, message: 'not now' }, 'GET'),
      { ...timeline, entries: [...timeline.entries, change(4, 'node', 55)] },
    ];
    let count = 0;
    const answer = () => {
      if (count === answers.length - 1) stop.abort();
      return answers[count++];
    };
    const { out, err } = await run(['timeline', 'ns/vm', '-w'], answer, stop.signal);
    expect(fieldsOf(out)).toEqual(['f1', 'f2', 'f3', 'f4']);
    expect(out.match(/ns\/vm on node/g)).toHaveLength(1);
    expect(err).toContain('not now');
  }, 10_000);
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
  [['diagnose'], 'say -n NAMESPACE, --node NODE or -A'],
  [['diagnose', 'ns/vm', '-A'], 'not both'],
  [['timeline', 'ns/vm', '--since', 'soon'], '"soon" is no duration'],
  [['timeline', 'ns/vm', '--layer', 'moon'], 'layer "moon" is unknown: choose from kubernetes'],
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

describe('diagnose', () => {
  const live = (path: string, value: unknown) => {
    const [layer, ...field] = path.split('/');
    const observedAt = '2026-01-01T00:00:10Z';
    return { layer, field: field.join('/'), value, source: 'test', observedAt, maxAge: 5, freshness: 'live' };
  };
  const report = (name: string, phase: string, more: [string, unknown][] = []) => ({
    metadata: { namespace: 'ns', name },
    node: 'n1',
    generatedAt: '2026-01-01T00:00:10Z',
    observations: [
      live('kubernetes/vmi.phase', phase),
      live('kubernetes/vmi.deletionTimestamp', null),
      ...more.map(([path, value]) => live(path, value)),
    ],
  });
  const broken = report('a', 'Running', [
    ['domain/state', 'paused'],
    ['domain/reason', 'io-error'],
    ['domain/ioError.data', 'enospc'],
  ]);
  const gone = (code: number, details = {}) =>
    new KubeError({ code, reason: code === 404 ? 'NotFound' : 'x', message: 'no endpoints', details }, 'GET /x');

  test('says what is wrong, why, and what to do, and exits 1', async () => {
    const { out, code } = await run(['diagnose', 'ns/a'], broken);
    expect(out).toBe(
      [
        'ns/a on node n1: broken, domain: paused-by-io-error',
        '  because:',
        '    QEMU has stopped the guest because its storage failed',
        '    volume data: enospc',
        '  next:',
        '    make room on, or repair, the storage behind the volume',
        '    then: yagura unpause ns/a',
        'as of 2026-01-01T00:00:10Z',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  test.each([
    ['healthy', report('a', 'Pending'), 0],
    ['broken', broken, 1],
    ['unknown', report('a', 'Running'), 2],
    ['unknown', gone(503), 2],
  ])('%s: exit code of %#', async (status, answer, expected) => {
    const { out, code } = await run(['diagnose', 'ns/a', '-o', 'json'], answer);
    expect(JSON.parse(out).verdict.status).toBe(status);
    expect(code).toBe(expected);
  });

  test('virt-api that does not answer is named', async () => {
    expect((await run(['diagnose', 'ns/a'], gone(503))).out).toMatch(/^ns\/a: unknown, kubernetes: virt-api-silent\n/);
  });

  test('virt-api that is not even registered is no machine that has gone', async () => {
    const named = { metadata: { namespace: 'ns', name: 'a' } };
    const answer = (asked: string) => {
      if (asked.startsWith('virtualmachine') && !asked.includes('/')) return [named];
      return asked.endsWith('/namespaces/ns/virtualmachineinstances/a') ? named : gone(404);
    };
    const { out, code } = await run(['diagnose', '-A'], answer);
    expect(out).toContain('virt-api-silent');
    expect(code).toBe(1);
  });

  test('one that cannot be asked for is told, and the others are shown', async () => {
    const named = (name: string) => ({ metadata: { namespace: 'ns', name } });
    const answer = (asked: string) => {
      if (asked.startsWith('virtualmachine') && !asked.includes('/')) return [named('a'), named('b')];
      return asked.includes('/a/') ? gone(403) : report('b', 'Pending');
    };
    const { out, err, code } = await run(['diagnose', '-A'], answer);
    expect(out).toContain('ns/b');
    expect(err).toContain('ns/a: ');
    expect(code).toBe(2);
  });

  test('of several the worst comes first, and is the exit code; one that has gone meanwhile is left out', async () => {
    const named = (name: string, nodeName: string) => ({ metadata: { namespace: 'ns', name }, status: { nodeName } });
    const answer = (asked: string) => {
      if (asked === 'virtualmachineinstances') return [named('b', 'n1'), named('a', 'n1'), named('away', 'n2')];
      if (asked === 'virtualmachines') return [named('gone', ''), named('b', '')];
      if (asked.includes('/gone/')) return gone(404, { name: 'gone' });
      return asked.includes('/a/') ? broken : report(asked.includes('/b/') ? 'b' : 'away', 'Pending');
    };
    const all = await run(['diagnose', '-A'], answer);
    expect(all.out.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
      'STATUS MACHINE',
      'broken ns/a',
      'healthy ns/away',
      'healthy ns/b',
      '',
    ]);
    expect(all.code).toBe(1);
    const here = await run(['diagnose', '--node', 'n2', '-o', 'json'], answer);
    expect(JSON.parse(here.out).items).toHaveLength(1);
    expect(here.code).toBe(0);
  });
});
