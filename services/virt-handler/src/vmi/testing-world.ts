import { kubevirtConfig, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState, type GetGuestInfoResponse, RpcError, Status } from '@yagura/contracts';
import { type JsonPatchOperation, KubeError, type Patch, type ReconcileResult, silentLogger } from '@yagura/kube';
import { LiveNetwork } from '../network/live-network.ts';
import { PodPaths } from '../pod/paths.ts';
import { VmiEnding } from './ending.ts';
import { VmiEvents } from './events.ts';
import { LiveSize } from './live-size.ts';
import { VmiReconciler } from './reconciler.ts';
import { VmiStart } from './start.ts';
import { StatusWriter } from './status-writer.ts';
import { testDomain, testVmi, UID } from './testing.ts';

export const MINUTE = 60_000;

/** A node with one instance: its object, its pod and its launcher, each step of which can fail once. */
export class World {
  vmi: VirtualMachineInstance = testVmi();
  domain: Domain = testDomain({ vmiUid: '', state: DomainState.ABSENT });
  guest: GetGuestInfoResponse | undefined;
  agentConnectedAt: number | undefined;
  /** undefined: the launcher has never answered. */
  silentMs: number | undefined = 0;
  linkAgeMs = 0;
  startedAt: Date | undefined = new Date(0);
  /** What the launcher waits for before it answers that the domain has started. */
  starting: Promise<void> | undefined;
  now: () => number = Date.now;
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

export const pod = {
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

export function reconcilerOf(world: World) {
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
    state: () => ({ startedAt: world.startedAt }),
    ageMs: () => world.linkAgeMs,
    take: (domain: Domain | undefined) => {
      if (domain) world.domain = domain;
    },
    calls: {
      syncVirtualMachine: async () => {
        await world.step('sync');
        await world.starting;
        return { domain: testDomain() };
      },
      suspendGuestProbes: async ({ suspended }: { suspended: boolean }) => {
        await world.step('suspend-probes');
        world.domain = { ...world.domain, guestProbesSuspended: suspended };
        return {};
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
  const hotplug = {
    mount: async () => ({ paths: new Map(), waiting: [], problems: new Map() }),
    sync: async () => undefined,
  };
  return new VmiReconciler({
    nodeName: 'node-a',
    client,
    vmis: { store },
    pods: { store },
    launchers,
    processes: { runs: async () => world.qemuRuns } as never,
    hotplug,
    start: new VmiStart({
      hotplug,
      paths: new PodPaths('/pods', '/k/pods'),
      links,
      preparation,
      writer,
      events,
      config,
      patienceMs: 20,
      now: () => world.now(),
    }),
    network: new LiveNetwork({ preparation, events, config, now: () => world.now() }),
    size: new LiveSize(config, () => world.now()),
    ending: new VmiEnding({ launchers, writer, events, sweeper }),
    writer,
    events,
    config,
    knowsHostModel: () => true,
  });
}

/** Looks again and again, as the work queue does, until a look neither fails nor wants another. */
export async function settle(reconciler: VmiReconciler): Promise<ReconcileResult | void> {
  const context = { log: silentLogger, signal: new AbortController().signal, failures: 0 };
  for (let looks = 0; looks < 10; looks++) {
    const result = await reconciler
      .reconcile({ namespace: 'default', name: 'demo' }, context)
      .catch(() => 'failed' as const);
    if (result !== 'failed' && (result?.requeueAfterMs ?? 1e9) > 200) return result;
  }
  throw new Error('it does not settle');
}
