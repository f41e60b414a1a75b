import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AnswerState,
  DomainSchema,
  DomainState,
  GetGuestInfoResponseSchema,
  GuestAgentChannel,
} from '@yagura/contracts';
import { observe, type Sample } from '../observation.ts';
import { domainSamples } from './domain.ts';
import { guestSamples } from './guest.ts';
import { type LauncherLink, linkSamples } from './link.ts';
import { networkSamples } from './network.ts';

const now = new Date('2026-11-30T12:00:00.000Z');
const at = (secondsAgo: number) => timestampFromDate(new Date(now.getTime() - secondsAgo * 1000));
const link: LauncherLink = { state: 'answering', lastAnswer: now, version: '0.1.0' };
const mac = '02:11:22:33:44:55';

const domain = (part: MessageInitShape<typeof DomainSchema> = {}) =>
  create(DomainSchema, {
    state: DomainState.RUNNING,
    stateReason: 'booted',
    observedAt: at(1),
    interfaces: [{ name: 'default', macAddress: mac, linkState: 'up' }],
    guestAgent: { channel: GuestAgentChannel.CONNECTED, lastSuccess: at(2) },
    libvirt: { connected: true },
    ...(part as object),
  });
const info = create(GetGuestInfoResponseSchema, {
  hostname: 'demo',
  hostnameStatus: { state: AnswerState.OK, observedAt: at(3) },
  timezoneStatus: { state: AnswerState.UNSUPPORTED, error: 'unknown command' },
  os: { prettyName: 'Debian 13' },
  osStatus: { state: AnswerState.STALE, observedAt: at(30), error: 'timed out' },
  interfaces: [{ name: 'eth0', macAddress: mac, addresses: [{ address: '10.0.2.2', prefixLength: 24 }] }],
  interfacesStatus: { state: AnswerState.OK, observedAt: at(4) },
});
const pick = (samples: Sample[], field: string) => {
  const found = samples.find((sample) => sample.field === field);
  if (found === undefined) throw new Error(`no sample ${field}`);
  const { value, freshness, error } = observe(found, now);
  return { value, freshness, error };
};

test('a domain that libvirt confirmed a second ago is live', () => {
  expect(pick(domainSamples(domain(), link), 'state')).toEqual({
    value: 'running',
    freshness: 'live',
    error: undefined,
  });
});

test('a state that the launcher cannot tell is no state', () => {
  const samples = domainSamples(
    domain({ state: DomainState.UNSPECIFIED, libvirt: { connected: false, lastError: 'hung' } }),
    link,
  );
  expect(pick(samples, 'state')).toEqual({ value: null, freshness: 'stale', error: 'hung' });
});

test('a QEMU that hangs is named, although libvirt calls it running', () => {
  const monitor = { lastAnswer: at(12), silentSince: at(9), lastError: 'no reply' };
  const samples = domainSamples(domain({ monitor }), link);
  expect(pick(samples, 'state')).toMatchObject({ value: 'running', freshness: 'live' });
  expect(pick(samples, 'qemu.monitor')).toEqual({
    value: 'silent since 2026-11-30T11:59:51.000Z',
    freshness: 'stale',
    error: 'no reply',
  });
});

test('without a launcher the last words are lost, and nothing is younger than its channel', () => {
  const gone: LauncherLink = { state: 'gone', lastAnswer: now };
  for (const sample of [...domainSamples(domain(), gone), ...guestSamples(domain(), info, gone)]) {
    expect(['lost', 'never', 'unsupported']).toContain(observe(sample, now).freshness);
  }
  expect(pick(linkSamples(gone), 'launcher.channel')).toMatchObject({ value: 'gone', freshness: 'lost' });
});

test.each([
  ['hostname', { value: 'demo', freshness: 'live', error: undefined }],
  ['os', { value: 'Debian 13', freshness: 'stale', error: 'timed out' }],
  ['timezone', { value: null, freshness: 'unsupported', error: 'unknown command' }],
  ['load', { value: null, freshness: 'never', error: undefined }],
])('each answer of the agent stands for itself: %s', (field, expected) => {
  expect(pick(guestSamples(domain(), info, link), field)).toEqual(expected);
});

test('a closed channel makes what the agent said its last word, also its addresses', () => {
  const closed = domain({ guestAgent: { channel: GuestAgentChannel.DISCONNECTED, lastSuccess: at(2) } });
  expect(pick(guestSamples(closed, info, link), 'agent.channel')).toMatchObject({
    value: 'disconnected',
    freshness: 'live',
  });
  expect(pick(guestSamples(closed, info, link), 'hostname')).toMatchObject({ value: 'demo', freshness: 'lost' });
  const samples = networkSamples({ intents, podIPs: [], podSeenAt: now, domain: closed, guest: info, shown: [], link });
  expect(pick(samples, 'default.guestAddresses')).toMatchObject({ value: ['10.0.2.2'], freshness: 'lost' });
});

test('an agent whose last ping failed is named mute while its channel is open', () => {
  const mute = domain({
    guestAgent: {
      channel: GuestAgentChannel.CONNECTED,
      lastSuccess: at(9),
      lastFailure: at(1),
      lastError: 'no reply in 5 s',
    },
  });
  expect(pick(guestSamples(mute, info, link), 'agent.lastSuccess')).toMatchObject({
    freshness: 'stale',
    error: 'no reply in 5 s',
  });
});

const intents = [{ name: 'default', binding: 'masquerade', network: 'pod' } as const];

test('the network layer shows what pod, domain and agent each say and what was chosen', () => {
  const shown = [{ name: 'default', ipAddress: '10.244.0.7' }];
  const samples = networkSamples({
    intents,
    podIPs: ['10.244.0.7'],
    podSeenAt: now,
    domain: domain(),
    guest: info,
    shown,
    link,
  });
  expect(samples.map((sample) => [sample.field, observe(sample, now).value, sample.source])).toEqual([
    ['default.podIPs', ['10.244.0.7'], 'pod status'],
    ['default.mac', mac, 'domain'],
    ['default.link', 'up', 'domain'],
    ['default.guestAddresses', ['10.0.2.2'], 'guest-agent'],
    ['default.guestInterfaces', ['eth0'], 'guest-agent'],
    ['default.arp', null, 'kernel of the pod'],
    ['default.chosen', '10.244.0.7', "rule: the pod's address behind NAT"],
  ]);
});

test('guest interfaces that share a MAC are all named, the one that is taken first', () => {
  const shared = create(GetGuestInfoResponseSchema, {
    interfaces: ['br0', 'eth0'].map((name) => ({ name, macAddress: mac.toUpperCase(), addresses: [] })),
    interfacesStatus: { state: AnswerState.OK, observedAt: at(4) },
  });
  const samples = networkSamples({
    intents,
    podIPs: [],
    podSeenAt: now,
    domain: domain(),
    guest: shared,
    shown: [],
    link,
  });
  expect(pick(samples, 'default.guestInterfaces').value).toEqual(['eth0', 'br0']);
});

test('a request to shut down is told, and so is that there is none', () => {
  expect(pick(domainSamples(domain(), link), 'shutdownRequestedAt')).toMatchObject({ value: null, freshness: 'live' });
  expect(pick(domainSamples(domain({ shutdownRequestedAt: at(3) }), link), 'shutdownRequestedAt').value).toBe(
    '2026-11-30T11:59:57.000Z',
  );
});

test('an older launcher has looked for nothing, which is neither false nor none', () => {
  const samples = [...domainSamples(domain(), link), ...guestSamples(domain(), info, link)];
  const fields = [
    'cpu.moving',
    'pauseRequested',
    'rebootedAt',
    'agent.hangingCommand',
    'serial.panic',
    'users',
    'filesystems',
  ];
  for (const field of fields) expect(pick(samples, field)).toMatchObject({ value: null, freshness: 'never' });
});

test('what a launcher has found out without the agent is told with its own age', () => {
  const seen = domain({
    pauseRequested: false,
    rebootedAt: at(50),
    guestAgent: {
      channel: GuestAgentChannel.CONNECTED,
      lastFailure: at(1),
      lastError: 'no reply',
      hanging: { command: 'guest-get-fsinfo', since: at(9) },
    },
    evidence: {
      cpu: { observedAt: at(2), secondsPerSecond: 1.00049, wholeProcess: true },
      arp: [{ interface: 'default', answers: false, observedAt: at(30) }],
      serial: { observedAt: at(3), panic: 'Kernel panic', panicAt: at(8) },
    },
  });
  const network = networkSamples({ intents, podIPs: [], podSeenAt: now, domain: seen, guest: info, shown: [], link });
  const samples = [...domainSamples(seen, link), ...guestSamples(seen, info, link), ...network];
  expect(pick(samples, 'cpu.moving')).toMatchObject({ value: 1, freshness: 'live' });
  expect(pick(samples, 'pauseRequested')).toMatchObject({ value: false, freshness: 'live' });
  expect(pick(samples, 'rebootedAt')).toMatchObject({ value: '2026-11-30T11:59:10.000Z', freshness: 'live' });
  expect(pick(samples, 'agent.hangingCommand')).toMatchObject({ value: 'guest-get-fsinfo', freshness: 'live' });
  expect(pick(samples, 'serial.panic')).toMatchObject({ value: 'Kernel panic', freshness: 'live' });
  expect(pick(samples, 'default.arp')).toMatchObject({ value: 'silent', freshness: 'stale' });
  expect(samples.find(({ field }) => field === 'serial.panic')?.since).toEqual(new Date('2026-11-30T11:59:52.000Z'));
});

test('a domain whose record was lost says nothing of who paused it', () => {
  expect(pick(domainSamples(domain({ evidence: {} }), link), 'pauseRequested').freshness).toBe('never');
});

test('file systems are told one by one, and how many of all', () => {
  const filesystems = Array.from({ length: 14 }, (_, index) => ({
    mountPoint: `/m${index}`,
    diskName: 'vda1',
    type: 'ext4',
    ...(index === 0 ? { usedBytes: 3n << 20n, totalBytes: 10n << 20n } : {}),
  }));
  const status = { state: AnswerState.STALE, observedAt: at(30), error: 'timed out' };
  const told = create(GetGuestInfoResponseSchema, { filesystems: { filesystems, status } });
  const samples = guestSamples(domain(), told, link);
  expect(pick(samples, 'filesystems')).toEqual({ value: '10 of 14', freshness: 'stale', error: 'timed out' });
  expect(pick(samples, 'filesystem./m0').value).toBe('3 of 10 MiB used, ext4 on vda1');
  expect(pick(samples, 'filesystem./m1').value).toBe('ext4 on vda1');
  expect(samples.filter(({ field }) => field.startsWith('filesystem.'))).toHaveLength(10);
});
