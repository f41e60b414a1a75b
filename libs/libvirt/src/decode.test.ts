import fc from 'fast-check';
import { decodeDomainStats } from './domain-stats.ts';
import { decodeEvent, EVENT_IDS } from './events.ts';
import { STATS_FLAGS, toBits } from './flags.ts';
import { decodeGuestInfo } from './guest-info.ts';
import { decodeJobStats, encodeMigrateParams } from './jobs.ts';
import { decodeState } from './states.ts';
import { decodeTypedParams, type TypedValue } from './typed-params.ts';

const params = (values: Record<string, TypedValue>): ReturnType<typeof decodeTypedParams> =>
  decodeTypedParams(Object.entries(values).flat());

describe('stats', () => {
  const who = { name: 'ns_a', uuid: 'u', id: 3 };

  test('are nested, and 64-bit counters stay exact', () => {
    const stats = decodeDomainStats(
      who,
      params({
        'state.state': 3,
        'state.reason': 5,
        'cpu.time': 18446744073709551615n,
        'vcpu.current': 2,
        'vcpu.maximum': 4,
        'vcpu.0.state': 1,
        'vcpu.0.time': 9007199254740993n,
        'vcpu.0.halted': 'no',
        'vcpu.3.state': 0,
        'balloon.current': 65536n,
        'balloon.last-update': 7n,
        'net.count': 1,
        'net.0.name': 'tap0',
        'net.0.rx.bytes': 1n,
        'net.0.tx.drop': 2n,
        'block.count': 2,
        'block.0.name': 'vda',
        'block.0.rd.reqs': 5n,
        'block.0.fl.times': 6n,
        'block.1.name': 'vdb',
        'block.1.errors': 1n,
        'dirtyrate.calc_status': 2,
        'dirtyrate.megabytes_per_second': 12n,
      }),
    );
    expect(stats).toMatchObject({
      domain: who,
      state: { state: 'paused', reason: 'ioerror' },
      cpu: { time: 18446744073709551615n },
      vcpu: {
        current: 2,
        maximum: 4,
        vcpus: [
          { index: 0, state: 'running', time: 9007199254740993n, halted: false },
          { index: 3, state: 'offline' },
        ],
      },
      balloon: { current: 65536n, lastUpdate: 7n },
      net: [{ name: 'tap0', rx: { bytes: 1n }, tx: { drop: 2n } }],
      block: [
        { name: 'vda', rd: { reqs: 5n }, wr: {}, fl: { times: 6n } },
        { name: 'vdb', errors: 1n },
      ],
      dirtyRate: { status: 'measured', megabytesPerSecond: 12n },
    });
  });

  test('what was not said is absent, not zero', () => {
    expect(Object.keys(decodeDomainStats(who, params({})))).toEqual(['domain', 'params']);
    expect(decodeDomainStats(who, params({ 'net.count': 0 })).net).toEqual([]);
    expect(decodeDomainStats(who, params({ 'cpu.time': 1n })).cpu).toEqual({ time: 1n });
  });
});

test('guest info of every type is nested', () => {
  const info = decodeGuestInfo(
    params({
      'user.count': 1,
      'user.0.name': 'ann',
      'user.0.login-time': 1796050274000n,
      'os.id': 'debian',
      'os.pretty-name': 'Debian GNU/Linux 13',
      'timezone.name': 'JST',
      'timezone.offset': 32400,
      hostname: 'h',
      'fs.count': 1,
      'fs.0.mountpoint': '/',
      'fs.0.total-bytes': 10n,
      'fs.0.used-bytes': 4n,
      'fs.0.disk.count': 1,
      'fs.0.disk.0.alias': 'vda',
      'disk.count': 1,
      'disk.0.name': '/dev/vda1',
      'disk.0.partition': true,
      'disk.0.dependency.count': 1,
      'disk.0.dependency.0.name': '/dev/vda',
      'if.count': 1,
      'if.0.name': 'eth0',
      'if.0.addr.count': 1,
      'if.0.addr.0.type': 'ipv4',
      'if.0.addr.0.addr': '10.0.2.2',
      'if.0.addr.0.prefix': 24,
      'load.1m': 0.5,
    }),
  );
  delete (info as Partial<typeof info>).params;
  expect(info).toEqual({
    users: [{ name: 'ann', loginTime: 1796050274000n }],
    os: { id: 'debian', prettyName: 'Debian GNU/Linux 13' },
    timezone: { name: 'JST', offset: 32400 },
    hostname: 'h',
    filesystems: [{ mountpoint: '/', totalBytes: 10n, usedBytes: 4n, disks: [{ alias: 'vda' }] }],
    disks: [{ name: '/dev/vda1', partition: true, dependencies: ['/dev/vda'] }],
    interfaces: [{ name: 'eth0', addrs: [{ type: 'ipv4', addr: '10.0.2.2', prefix: 24 }] }],
    load: { oneMinute: 0.5 },
  });
});

test('a job is read with its units untouched', () => {
  const job = decodeJobStats(2, params({ operation: 5, time_elapsed: 10n, memory_remaining: 4096n, success: true }));
  expect(job).toMatchObject({
    type: 'unbounded',
    operation: 'migration-out',
    timeElapsed: 10n,
    memoryRemaining: 4096n,
    success: true,
  });
});

test('a number that no table knows stays visible', () => {
  expect(decodeState(1, 99)).toEqual({ state: 'running', reason: 'unlisted-99' });
  expect(decodeState(42, 1)).toEqual({ state: 'unlisted-42', reason: 'unlisted-1' });
  expect(decodeEvent([EVENT_IDS.watchdog, 'n', 'u', 1, 77])).toMatchObject({ action: 'unlisted-77' });
  expect(() => decodeEvent([1000, 'n', 'u', 1])).toThrow('libvirt event 1000 was never subscribed to');
});

test.each<[number, unknown[], object]>([
  [0, [5, 2], { type: 'lifecycle', event: 'stopped', detail: 'crashed' }],
  [2, [-3600n], { type: 'rtc-change', utcOffset: -3600n }],
  [3, [5], { type: 'watchdog', action: 'debug' }],
  [
    6,
    ['/d', 'virtio-disk0', 1, 'enospc'],
    { type: 'io-error', device: 'virtio-disk0', action: 'pause', reason: 'enospc' },
  ],
  [9, [null, '/b', 'cd', 0], { type: 'disk-change', oldPath: null, newPath: '/b', reason: 'change-missing-on-start' }],
  [10, ['cd', 1], { type: 'tray-change', device: 'cd', change: 'close' }],
  [13, [1024n], { type: 'balloon-change', actual: 1024n }],
  [15, ['net0'], { type: 'device-removed', device: 'net0' }],
  [16, ['vda', 4, 3], { type: 'block-job', disk: 'vda', operation: 'active-commit', status: 'ready' }],
  [18, [2, 2], { type: 'agent-lifecycle', state: 'disconnected', reason: 'channel' }],
  [20, [3], { type: 'migration-iteration', iteration: 3 }],
  [
    21,
    [['operation', 5, 'downtime', 30n]],
    { type: 'job-completed', job: { operation: 'migration-out', downtime: 30n } },
  ],
  [24, ['vda', '/p', 5n, 1n], { type: 'block-threshold', device: 'vda', path: '/p', threshold: 5n, excess: 1n }],
  [
    25,
    [1, 2, 3],
    { type: 'memory-failure', recipient: 'guest', action: 'fatal', actionRequired: true, recursive: true },
  ],
  [26, ['mem0', 2048n], { type: 'memory-device-size-change', device: 'mem0', size: 2048n }],
  [27, ['net0', 'a', 'b'], { type: 'nic-mac-change', device: 'net0', oldMac: 'a', newMac: 'b' }],
])('event %d is decoded', (id, fields, expected) => {
  expect(decodeEvent([id, 'ns_a', 'uuid', 1, ...fields])).toMatchObject({
    domain: { name: 'ns_a', uuid: 'uuid', id: 1 },
    ...expected,
  });
});

test('migration parameters get the names and types of libvirt, lists one by one', () => {
  expect(
    encodeMigrateParams({
      migrateUri: 'unix:///s',
      bandwidth: 5n,
      parallelConnections: 2,
      migrateDisks: ['vda', 'vdb'],
    }),
  ).toEqual([
    'migrate_uri',
    'unix:///s',
    'bandwidth',
    5n,
    'parallel.connections',
    2,
    'migrate_disks',
    'vda',
    'migrate_disks',
    'vdb',
  ]);
});

test('flags are joined in any order, each once, up to bit 31', () => {
  const names = Object.keys(STATS_FLAGS);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names)), (chosen) => {
      const expected = [...new Set(chosen)].reduce(
        (sum, name) => sum + STATS_FLAGS[name as keyof typeof STATS_FLAGS],
        0,
      );
      expect(toBits('flags', STATS_FLAGS, chosen)).toBe(expected);
    }),
  );
});
