import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { kubevirtConfig, type Pod, type VirtualMachineInstance } from '@yagura/api';
import {
  AnswerState,
  type Domain,
  DomainOutcome,
  DomainState,
  type GetGuestInfoResponse,
  GetGuestInfoResponseSchema,
  GuestAgentChannel,
  RpcError,
  Status,
} from '@yagura/contracts';
import { type JsonPatchOperation, KubeError, type Patch, type ReconcileResult, silentLogger } from '@yagura/kube';
import { PodPaths } from '../pod/paths.ts';
import { VmiEnding } from './ending.ts';
import { VmiEvents } from './events.ts';
import { VmiReconciler } from './reconciler.ts';
import { VmiStart } from './start.ts';
import { StatusWriter } from './status-writer.ts';
import { MAC, testDomain, testVmi, UID } from './testing.ts';

/** A node with one instance: its object, its pod and its launcher, each step of which can fail once. */
class World {
  vmi: VirtualMachineInstance = testVmi();
  domain: Domain = testDomain({ vmiUid: '', state: DomainState.ABSENT });
  guest: GetGuestInfoResponse | undefined;
  agentConnectedAt: number | undefined;
  /** undefined: the launcher has never answered. */
  silentMs: number | undefined = 0;
  linkAgeMs = 0;
  pod: Pod = pod;
  qemuRuns = true;
  readonly steps: string[] = [];
  readonly events: string[] = [];
  /** The step that fails, counted from 0. */
  failAt: number | undefined;
  writes = 0;

  async step(name: string): Promise<void> {
    if (this.steps.push(name) - 1 === this.failAt) throw new RpcError(Status.UNAVAILABLE, `${name} failed`);
  }

  /** Applies a patch as the API server does: all of it or nothing. */
  async patch(patch: Patch): Promise<VirtualMachineInstance> {
    await this.step('patch');
    const status: Record<string, unknown> = { ...this.vmi.status };
    for (const operation of patch.body as JsonPatchOperation[]) {
      const key = operation.path.replace('/status/', '');
      if (operation.op === 'test' && JSON.stringify(status[key]) !== JSON.stringify(operation.value)) {
        throw new KubeError({ code: 422, reason: 'Invalid', message: `testing ${key} failed` }, 'PATCH');
      }
      if (operation.op === 'remove') delete status[key];
      if (operation.op === 'add' || operation.op === 'replace') status[key] = operation.value;
    }
    this.writes += 1;
    this.vmi = { ...this.vmi, status: status };
    return this.vmi;
  }
}

const pod = {
  metadata: {
    name: 'virt-launcher-demo-x',
    namespace: 'default',
    uid: 'pod-1',
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'demo', uid: UID, controller: true },
    ],
  },
  spec: { containers: [{ name: 'compute' }] },
  status: {
    phase: 'Running',
    podIP: '10.244.0.7',
    containerStatuses: [{ name: 'compute', containerID: `containerd://${'a'.repeat(64)}`, state: { running: {} } }],
  },
} as unknown as Pod;

function reconcilerOf(world: World) {
  const link = {
    get domain() {
      return world.domain;
    },
    get guest() {
      return world.guest;
    },
    get agentConnectedAt() {
      return world.agentConnectedAt;
    },
    silentMs: () => world.silentMs,
    ageMs: () => world.linkAgeMs,
    take: (domain: Domain | undefined) => {
      if (domain) world.domain = domain;
    },
    calls: {
      syncVirtualMachine: async () => {
        await world.step('sync');
        return { domain: testDomain() };
      },
      shutdownVirtualMachine: async () => world.step('shutdown'),
      killVirtualMachine: async () => world.step('kill'),
      deleteVirtualMachine: async () => world.step('delete'),
    },
  };
  const launchers = { ensure: () => link, get: () => link, drop: () => {} } as never;
  const store = { get: () => world.vmi, byIndex: () => [world.pod] } as never;
  const record = (_subject: unknown, reason: string, message: string) => world.events.push(`${reason}: ${message}`);
  const events = new VmiEvents({ normal: record, warning: record });
  const client = {
    get: async () => world.vmi as never,
    patch: async (_r: unknown, _t: unknown, patch: Patch) => (await world.patch(patch)) as never,
  };
  const writer = new StatusWriter(client, { store, observe: () => {} });
  const config = () => kubevirtConfig(undefined);
  const preparation = {
    prepare: async () => {
      await world.step('prepare');
      return [];
    },
  } as never;
  const links = { ensure: async () => world.step('link') } as never;
  const sweeper = { dismiss: () => {}, sweep: async () => world.step('sweep') };
  return new VmiReconciler({
    nodeName: 'node-a',
    client,
    vmis: { store },
    pods: { store },
    launchers,
    processes: { runs: async () => world.qemuRuns } as never,
    start: new VmiStart({ paths: new PodPaths('/pods', '/k/pods'), links, preparation, writer, events, config }),
    ending: new VmiEnding({ launchers, writer, events, sweeper }),
    writer,
    events,
    config,
    knowsHostModel: () => true,
  });
}

/** Looks again and again, as the work queue does, until a look neither fails nor wants another. */
async function settle(reconciler: VmiReconciler): Promise<ReconcileResult | void> {
  const context = { log: silentLogger, signal: new AbortController().signal, failures: 0 };
  for (let looks = 0; looks < 10; looks++) {
    const result = await reconciler
      .reconcile({ namespace: 'default', name: 'demo' }, context)
      .catch(() => 'failed' as const);
    if (result !== 'failed' && (result?.requeueAfterMs ?? 1e9) > 200) return result;
  }
  throw new Error('it does not settle');
}

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

const MINUTE = 60_000;
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
