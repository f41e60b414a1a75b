import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Pod } from '@yagura/api';
import {
  AnswerState,
  DomainOutcome,
  DomainState,
  GetGuestInfoResponseSchema,
  GuestAgentChannel,
} from '@yagura/contracts';
import type { VmiReconciler } from './reconciler.ts';
import { MAC, testDomain, testVmi } from './testing.ts';
import { MINUTE, pod, reconcilerOf, settle, World } from './testing-world.ts';

const guest = create(GetGuestInfoResponseSchema, {
  os: { name: 'Debian' },
  osStatus: { state: AnswerState.OK, observedAt: timestampFromDate(new Date()) },
  interfaces: [{ name: 'eth0', macAddress: MAC }],
  interfacesStatus: { state: AnswerState.OK, observedAt: timestampFromDate(new Date()) },
});

/** A whole life: started, agent connected, asked to shut down, ended. */
async function live(world: World, reconciler: VmiReconciler): Promise<void> {
  await settle(reconciler);
  world.domain = testDomain({ guestAgent: { channel: GuestAgentChannel.CONNECTED } });
  world.agentConnectedAt = Date.now();
  world.guest = guest;
  await settle(reconciler);
  world.vmi = { ...world.vmi, metadata: { ...world.vmi.metadata, deletionTimestamp: new Date().toISOString() } };
  await settle(reconciler);
  world.domain = testDomain({
    state: DomainState.SHUTOFF,
    end: { outcome: DomainOutcome.SHUTDOWN, message: 'it obeyed' },
  });
  await settle(reconciler);
}

const summary = (world: World) => {
  const { phase, guestOSInfo, interfaces, conditions } = world.vmi.status ?? {};
  return { phase, guestOSInfo, ip: interfaces?.[0]?.ipAddress, conditions: conditions?.map(({ type }) => type) };
};

test('a whole life takes three writes: running, agent, end', async () => {
  const world = new World();
  await live(world, reconcilerOf(world));
  expect(world.steps).toEqual(['prepare', 'link', 'sync', 'patch', 'patch', 'shutdown', 'patch', 'delete', 'sweep']);
  expect(world.writes).toBe(3);
  expect(summary(world)).toEqual({
    phase: 'Succeeded',
    guestOSInfo: { name: 'Debian' },
    ip: '10.244.0.7',
    conditions: ['LiveMigratable', 'StorageLiveMigratable'],
  });
  expect(world.events).toEqual([
    'Created: VirtualMachineInstance defined.',
    'Started: VirtualMachineInstance started.',
    'ShuttingDown: Signaled Graceful Shutdown',
    'Stopped: The VirtualMachineInstance was shut down: it obeyed.',
    'Deleted: Signaled Deletion',
  ]);
});

test('whichever step fails once, the life ends the same', async () => {
  const ideal = new World();
  await live(ideal, reconcilerOf(ideal));
  for (let failAt = 0; failAt < ideal.steps.length; failAt++) {
    const world = new World();
    world.failAt = failAt;
    await live(world, reconcilerOf(world));
    expect({ failAt: ideal.steps[failAt], ...summary(world) }).toEqual({
      failAt: ideal.steps[failAt],
      ...summary(ideal),
    });
    expect(world.writes).toBe(3);
  }
});

test('a virt-handler that is replaced at any point brings the life to the same end', async () => {
  const ideal = new World();
  await live(ideal, reconcilerOf(ideal));
  const world = new World();
  const anew = {
    reconcile: async (...args: Parameters<VmiReconciler['reconcile']>) => reconcilerOf(world).reconcile(...args),
  };
  await live(world, anew as VmiReconciler);
  expect(summary(world)).toEqual(summary(ideal));
  expect(world.writes).toBe(3);
});

test('an instance that is fine costs no write', async () => {
  const world = new World();
  const reconciler = reconcilerOf(world);
  await settle(reconciler);
  const { writes } = world;
  for (let i = 0; i < 5; i++) await settle(reconciler);
  expect(world.writes).toBe(writes);
});

/** The pod with its compute container in another state. */
const podWhose = (state: object, status: object = {}) =>
  ({ ...pod, status: { ...pod.status, containerStatuses: [{ name: 'compute', state }], ...status } }) as unknown as Pod;
const startedAgo = (ms: number) => ({
  ...pod.status?.containerStatuses?.[0],
  state: { running: { startedAt: new Date(Date.now() - ms).toISOString() } },
});
const silentPod = (ms: number) =>
  ({ ...pod, status: { ...pod.status, containerStatuses: [startedAgo(ms)] } }) as unknown as Pod;

/** An instance that runs, whose launcher has never answered this virt-handler. */
function silentWorld(startedMs: number, linkAgeMs: number): World {
  const world = new World();
  Object.assign(world, { vmi: testVmi({ phase: 'Running' }), domain: undefined, silentMs: undefined, linkAgeMs });
  world.pod = silentPod(startedMs);
  return world;
}

test('a launcher that never opens its socket is named once, and its guest left alone while QEMU runs', async () => {
  const world = silentWorld(5 * MINUTE, 5 * MINUTE);
  const reconciler = reconcilerOf(world);
  for (let look = 0; look < 3; look++) await settle(reconciler);
  const message = 'QEMU runs, but no launcher answers in pod virt-launcher-demo-x';
  expect(world.vmi.status?.conditions).toMatchObject([{ type: 'Synchronized', status: 'False', message }]);
  expect(world.events).toEqual([`SyncFailed: ${message}`]);
  expect(world.writes).toBe(1);

  Object.assign(world, { domain: testDomain(), silentMs: 0 });
  await settle(reconciler);
  expect(world.vmi.status?.conditions?.map(({ type }) => type)).not.toContain('Synchronized');
});

test('with no QEMU in its pod the instance has failed', async () => {
  const world = silentWorld(5 * MINUTE, 5 * MINUTE);
  world.qemuRuns = false;
  await settle(reconcilerOf(world));
  expect(world.vmi.status).toMatchObject({ phase: 'Failed', reason: 'LauncherUnresponsive' });
});

test.each([
  ['whose container has just started', 1_000, 5 * MINUTE],
  ['that this virt-handler has just begun to ask', 60 * MINUTE, 1_000],
])('a launcher %s is waited for', async (_, startedMs, linkAgeMs) => {
  const world = silentWorld(startedMs, linkAgeMs);
  world.qemuRuns = false;
  await settle(reconcilerOf(world));
  expect({ ...summary(world), events: world.events }).toMatchObject({ phase: 'Running', events: [] });
});

test('a guest that the node evicts ends with the node’s reason, which the pod tells only once it is over', async () => {
  const world = new World();
  const reconciler = reconcilerOf(world);
  await settle(reconciler);
  const end = { outcome: DomainOutcome.SHUTDOWN, message: 'it obeyed', podTerminating: true };
  world.domain = testDomain({ state: DomainState.SHUTOFF, end });
  await settle(reconciler);
  expect({ phase: world.vmi.status?.phase, steps: world.steps.slice(-2) }).toEqual({
    phase: 'Running',
    steps: ['delete', 'sweep'],
  });
  Object.assign(world, { domain: undefined });
  const message = JSON.stringify({ outcome: 'shutdown', message: 'it obeyed', ran: true, podTerminating: true });
  const terminated = { exitCode: 0, message, finishedAt: new Date().toISOString() };
  world.pod = podWhose({ terminated });
  await settle(reconciler);
  expect(world.vmi.status?.phase).toBe('Running');
  world.pod = podWhose({ terminated }, { phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' });
  await settle(reconciler);
  expect(world.vmi.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});

test('a virt-handler that was away reads the end of a killed guest from its pod', async () => {
  const world = new World();
  world.vmi = testVmi({ phase: 'Running' }, {}, { deletionTimestamp: new Date().toISOString() });
  Object.assign(world, { domain: undefined });
  const words = { outcome: 'destroyed', message: 'killed: out of time', ran: true, podTerminating: true };
  world.pod = podWhose({ terminated: { exitCode: 5, message: JSON.stringify(words) } }, { phase: 'Failed' });
  await settle(reconcilerOf(world));
  expect(world.vmi.status).toMatchObject({ phase: 'Failed', reason: 'DomainDestroyed' });
  expect(world.events).toContain('Stopped: The VirtualMachineInstance was killed: out of time.');
});
