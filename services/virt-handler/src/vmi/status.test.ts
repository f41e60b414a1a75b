import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { VirtualMachineInstanceStatus } from '@yagura/api';
import {
  Accelerator,
  AnswerState,
  DomainState,
  GetGuestInfoResponseSchema,
  GuestAgentChannel,
} from '@yagura/contracts';
import { migratability } from './migratable.ts';
import { statusPatch } from './patch.ts';
import { endedStatus, observedStatus, type StatusInput } from './status.ts';
import { MAC, NOW, testDomain, testVmi } from './testing.ts';

const node = { name: 'node-a', knowsHostModel: false, emulates: true };
const ok = { state: AnswerState.OK, observedAt: timestampFromDate(new Date(NOW)) };
const commands = [
  'ping',
  'get-time',
  'info',
  'shutdown',
  'network-get-interfaces',
  'get-fsinfo',
  'get-host-name',
  'get-users',
  'get-timezone',
  'get-osinfo',
];
const guestInfo = (part: MessageInitShape<typeof GetGuestInfoResponseSchema> = {}) =>
  create(GetGuestInfoResponseSchema, {
    agentVersion: '10.0',
    agentStatus: ok,
    supportedCommands: commands.map((name) => ({ name: `guest-${name}`, enabled: true })),
    os: { id: 'debian', name: 'Debian GNU/Linux', versionId: '13', kernelRelease: '6.12' },
    osStatus: ok,
    interfaces: [{ name: 'eth0', macAddress: MAC, addresses: [{ address: '10.0.2.2' }] }],
    interfacesStatus: ok,
    fsfreezeStatus: 'thawed',
    ...(part as object),
  });
const withAgent = testDomain({ guestAgent: { channel: GuestAgentChannel.CONNECTED } });
const observed = (part: Partial<StatusInput> = {}): VirtualMachineInstanceStatus => {
  const vmi = part.vmi ?? testVmi();
  const input = {
    vmi,
    domain: testDomain(),
    guest: undefined,
    podIPs: ['10.244.0.7'],
    podReady: false,
    problem: undefined,
    showAgent: true,
    supportedAgentVersions: ['2.*'],
    now: NOW,
  };
  return observedStatus({ ...input, migratability: migratability(vmi, node), ...part });
};
const types = (status: VirtualMachineInstanceStatus) =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value}${reason ? ` ${reason}` : ''}`);

test('everything about a running domain goes into one write', () => {
  expect(observed()).toEqual({
    phase: 'Running',
    phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: NOW }],
    nodeName: 'node-a',
    conditions: [
      { type: 'LiveMigratable', status: 'True', lastProbeTime: null, lastTransitionTime: null },
      { type: 'StorageLiveMigratable', status: 'True', lastProbeTime: null, lastTransitionTime: null },
    ],
    interfaces: [
      {
        name: 'default',
        mac: MAC,
        ipAddress: '10.244.0.7',
        ipAddresses: ['10.244.0.7'],
        infoSource: 'domain',
        queueCount: 1,
        linkState: 'up',
      },
    ],
    guestOSInfo: {},
    machine: { type: 'pc-q35-10.0' },
    volumeStatus: [{ name: 'root', target: 'vda' }],
    migrationMethod: 'BlockMigration',
  });
});

test('a guest in a pod that is ready is ready with its start, unless it is paused', () => {
  expect(types(observed({ podReady: true }))).toContain('Ready=True');
  expect(types(observed({ vmi: testVmi({ phase: 'Running' }), podReady: true }))).not.toContain('Ready=True');
  const paused = testDomain({ state: DomainState.PAUSED, stateReason: 'user' });
  expect(types(observed({ domain: paused, podReady: true }))).not.toContain('Ready=True');
});

test('agent, system and addresses go into one write, and a second look changes nothing', () => {
  const running = observed();
  const after = observed({ vmi: testVmi(running), domain: withAgent, guest: guestInfo() });
  expect(types(after)).toContain('AgentConnected=True');
  expect(after.guestOSInfo).toEqual({ id: 'debian', name: 'Debian GNU/Linux', versionId: '13', kernelRelease: '6.12' });
  expect(after.interfaces?.[0]).toMatchObject({
    ipAddress: '10.244.0.7',
    interfaceName: 'eth0',
    infoSource: 'domain, guest-agent',
  });
  const again = observed({ vmi: testVmi(after), domain: withAgent, guest: guestInfo() });
  expect(statusPatch(testVmi(after), again)).toBeUndefined();
});

test('an agent whose first answers are awaited is not shown yet', () => {
  const early = observed({ domain: withAgent, guest: undefined, showAgent: false });
  expect(types(early)).toEqual(['LiveMigratable=True', 'StorageLiveMigratable=True']);
});

const full = () => observed({ vmi: testVmi(observed()), domain: withAgent, guest: guestInfo() });

test('an agent that goes away takes its condition along and nothing else', () => {
  const before = full();
  const gone = testDomain({ guestAgent: { channel: GuestAgentChannel.DISCONNECTED } });
  const after = observed({ vmi: testVmi(before), domain: gone, guest: guestInfo() });
  expect(types(after)).not.toContain('AgentConnected=True');
  expect({ ...after, conditions: [] }).toEqual({ ...before, conditions: [] });
});

test('a new version of the system shows although its name is the same', () => {
  const guest = guestInfo({ os: { id: 'debian', name: 'Debian GNU/Linux', versionId: '14', kernelRelease: '6.18' } });
  const after = observed({ vmi: testVmi(full()), domain: withAgent, guest });
  expect(after.guestOSInfo).toMatchObject({ versionId: '14', kernelRelease: '6.18' });
});

test('an old agent without some commands keeps what it can, and the condition names what it lacks', () => {
  const supportedCommands = commands
    .filter((name) => name !== 'get-users')
    .map((name) => ({ name: `guest-${name}`, enabled: true }));
  const guest = guestInfo({ supportedCommands, osStatus: { state: AnswerState.UNSUPPORTED }, os: undefined });
  const after = observed({ domain: withAgent, guest });
  expect(types(after)).toContain('AgentVersionNotSupported=True This guest agent lacks the commands guest-get-users');
  expect(after.interfaces?.[0]?.interfaceName).toBe('eth0');
});

test.each([
  ['user', 'Paused=True PausedByUser'],
  ['io-error', 'Paused=True PausedIOError'],
  ['migration', undefined],
])('a domain paused for %s', (stateReason, condition) => {
  const paused = observed({ domain: testDomain({ state: DomainState.PAUSED, stateReason }) });
  expect(types(paused).find((type) => type.startsWith('Paused'))).toBe(condition);
  const resumed = observed({ vmi: testVmi(paused) });
  expect(types(resumed).find((type) => type.startsWith('Paused'))).toBeUndefined();
});

test('an I/O error names the volume', () => {
  const ioErrors = [
    { volume: 'data', reason: 'no space' },
    { volume: 'data', reason: 'no space' },
  ];
  const { conditions } = observed({
    domain: testDomain({ state: DomainState.PAUSED, stateReason: 'ioerror', ioErrors }),
  });
  expect(conditions?.find(({ type }) => type === 'Paused')?.message).toBe(
    'VMI was paused, low-level IO error detected: data (no space)',
  );
});

test('a freeze shows, a thaw takes it away, and an agent that cannot tell changes nothing', () => {
  const frozen = observed({ domain: withAgent, guest: guestInfo({ fsfreezeStatus: 'frozen' }) });
  expect(frozen.fsFreezeStatus).toBe('frozen');
  const vmi = testVmi(frozen);
  expect(observed({ vmi, domain: withAgent, guest: guestInfo({ fsfreezeStatus: undefined }) }).fsFreezeStatus).toBe(
    'frozen',
  );
  expect(observed({ vmi, domain: withAgent, guest: guestInfo() })).not.toHaveProperty('fsFreezeStatus');
});

test('a state that nobody can see changes nothing at all', () => {
  const vmi = testVmi(full());
  expect(statusPatch(vmi, observed({ vmi, domain: testDomain({ state: DomainState.UNSPECIFIED }) }))).toBeUndefined();
});

test('a guest under emulation says so', () => {
  expect(types(observed({ domain: testDomain({ accelerator: Accelerator.TCG }) }))).toContain(
    'SoftwareEmulation=True UseEmulation',
  );
});

test('an ended run keeps what was known of the guest and drops what speaks of a live one', () => {
  const before = full();
  const after = endedStatus(testVmi(before), { phase: 'Failed', reason: 'GuestCrashed', message: '' }, NOW);
  expect(after).toMatchObject({
    phase: 'Failed',
    reason: 'GuestCrashed',
    guestOSInfo: before.guestOSInfo,
    interfaces: before.interfaces,
  });
  expect(types(after)).toEqual(['LiveMigratable=True', 'StorageLiveMigratable=True']);
});

test('the patch tests what was read of each field it writes, and the phase', () => {
  const vmi = testVmi({ phase: 'Running', fsFreezeStatus: 'frozen' });
  const { fsFreezeStatus: _, ...rest } = vmi.status ?? {};
  expect(statusPatch(vmi, { ...rest, migrationMethod: 'LiveMigration' })).toEqual([
    { op: 'test', path: '/status/phase', value: 'Running' },
    { op: 'test', path: '/status/fsFreezeStatus', value: 'frozen' },
    { op: 'remove', path: '/status/fsFreezeStatus' },
    { op: 'add', path: '/status/migrationMethod', value: 'LiveMigration' },
  ]);
});

test.each([
  [
    'bridge on the pod network',
    { domain: { devices: { interfaces: [{ name: 'default', bridge: {} }] } } },
    ['InterfaceNotLiveMigratable'],
  ],
  [
    'a claim nobody knows',
    { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] },
    ['DisksNotLiveMigratable'],
  ],
  [
    'reenlightenment without a known TSC frequency',
    { domain: { devices: {}, features: { hyperv: { reenlightenment: { enabled: true } } } } },
    ['NoTSCFrequencyNotLiveMigratable'],
  ],
  [
    'devices of the host, and what protects the guest from it',
    {
      architecture: 's390x',
      domain: { devices: { hostDevices: [{ name: 'd', deviceName: 'x/y' }] }, launchSecurity: {} },
    },
    ['HostDeviceNotLiveMigratable', 'SecureExecutionNotLiveMigratable'],
  ],
  [
    'a host disk and passed-through hyperv',
    {
      domain: { devices: {}, features: { hypervPassthrough: { enabled: true } } },
      volumes: [{ name: 'd', hostDisk: { path: '/x', type: 'Disk' as const } }],
    },
    ['HypervPassthroughNotLiveMigratable', 'DisksNotLiveMigratable'],
  ],
])('every blocker of a migration is found: %s', (_, spec, reasons) => {
  expect(migratability(testVmi({}, spec), node).blockers.map(({ reason }) => reason)).toEqual(reasons);
});

test('a host model that the node does not know blocks a migration only where it is used', () => {
  const vmi = testVmi({}, { domain: { devices: {}, cpu: { model: 'host-model' } } });
  expect(migratability(vmi, node).blockers).toEqual([]);
  expect(migratability(vmi, { ...node, emulates: false }).blockers).toEqual([
    { reason: 'CPUModeLiveMigratable', message: 'the node "node-a" does not allow migration with host-model' },
  ]);
});

test('what the domain tells of memory, images and confinement is told, and the same size is no news', () => {
  const memory = { guestAtBoot: '128Mi', guestRequested: '128Mi', guestCurrent: '128Mi', memoryOverhead: '1' };
  const vmi = testVmi({ memory });
  const disks = [{ name: 'root', target: 'vda', bus: 'virtio', sizeBytes: 374_784n }];
  const domain = testDomain({ selinuxContext: 'none', currentMemoryBytes: 134_217_728n, disks });
  const after = observed({ vmi, domain });
  expect(after).toMatchObject({
    selinuxContext: 'none',
    memory,
    volumeStatus: [{ name: 'root', target: 'vda', size: 374_784 }],
  });
  const ballooned = testDomain({ currentMemoryBytes: 67_108_864n });
  expect(observed({ vmi, domain: ballooned }).memory).toEqual({ ...memory, guestCurrent: '64Mi' });
  const grows = { bootBytes: 134_217_728n, maxBytes: 2n ** 32n, requestedBytes: 2n ** 31n, currentBytes: 2n ** 30n };
  const growing = testDomain({ currentMemoryBytes: 2n ** 30n, memory: grows });
  expect(observed({ vmi, domain: growing }).memory).toEqual({ ...memory, guestRequested: '2Gi', guestCurrent: '1Gi' });
});

test.each([
  ['2.11', undefined],
  ['1.5', 'This guest agent of version 1.5 is not supported'],
  [undefined, 'This guest agent of version unknown is not supported'],
])('an agent of version %s that lists no commands is judged by it', (agentVersion, reason) => {
  const guest = guestInfo({ supportedCommands: [], agentVersion: agentVersion as string });
  const conditions = observed({ domain: withAgent, guest }).conditions ?? [];
  expect(conditions.find(({ type }) => type === 'AgentVersionNotSupported')?.reason).toBe(reason);
});
