import type { Pod, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { EventRecorder, silentLogger } from '@yagura/kube';
import { FakeClock } from '@yagura/kube/testing';
import { Caches } from './caches.ts';
import { ApiServer, type Fault } from './testing/api-server.ts';
import { podOf, vmOf } from './testing/objects.ts';
import { VmController } from './vm/vm-controller.ts';
import { VmiController } from './vmi/vmi-controller.ts';

const NAME = { namespace: 'n', name: 'demo' };

/** Both controllers over one small API server; a pass that fails is tried again, as the queue would. */
function product() {
  const server = new ApiServer();
  const clock = new FakeClock();
  const silent = { create: () => Promise.resolve({}), patch: () => Promise.resolve({}) } as never;
  const events = new EventRecorder(silent, { component: 'test', clock });
  let uuids = 0;
  const uuid = () => `uuid-${++uuids}`;
  /** A new process: caches as the API server shows them, nothing remembered. */
  const boot = () => {
    const caches = new Caches(server.client, 'yagura', () => {});
    const world = { client: server.client, caches, events, clock, uuid };
    return {
      caches,
      vm: new VmController({ ...world, random: () => 0 }),
      vmi: new VmiController({ ...world, launcherImage: 'launcher:1' }),
    };
  };
  let process = boot();
  const refresh = () => {
    const { caches } = process;
    for (const [plural, store] of [
      ['virtualmachines', caches.vms.store],
      ['virtualmachineinstances', caches.vmis.store],
      ['pods', caches.pods.store],
      ['nodes', caches.nodes.store],
    ] as const) {
      store.replace(server.all<never>(plural));
    }
  };
  const pass = async (): Promise<void> => {
    const context = { log: silentLogger, signal: new AbortController().signal, failures: 0 };
    for (const controller of [process.vm, process.vmi]) {
      refresh();
      await controller.reconcile(NAME, context).catch(() => {
        // The process may as well have died there.
        process = boot();
      });
    }
  };
  return { server, clock, pass };
}

type Product = ReturnType<typeof product>;

/** Passes until nothing is written any more. */
async function settle({ server, pass, clock }: Product): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await pass();
    await clock.advance(4_000);
  }
  const before = JSON.stringify([...server.objects]);
  await pass();
  expect(JSON.stringify([...server.objects])).toBe(before);
}

const podsOf = ({ server }: Product) => server.all<Pod>('pods');
const vmiOf = ({ server }: Product) => server.all<VirtualMachineInstance>('virtualmachineinstances')[0];
const vmOfServer = ({ server }: Product) => server.all<VirtualMachine>('virtualmachines')[0];

/** The kubelet starts every pod that is not yet up. */
function startPods({ server }: Product): void {
  for (const pod of podsOf({ server } as Product)) {
    const up = podOf('up');
    const started: Pod = {
      ...pod,
      spec: { ...pod.spec, nodeName: 'node-1' },
      status: { ...up.status, ...withGate(pod) },
    };
    server.put('pods', started);
  }
}

function withGate(pod: Pod): NonNullable<Pod['status']> {
  return { conditions: [...(pod.status?.conditions ?? []), { type: 'Ready', status: 'True' }] };
}

function handlerSays({ server }: Product, phase: 'Running' | 'Failed'): void {
  const vmi = server.all<VirtualMachineInstance>('virtualmachineinstances')[0];
  if (!vmi) return;
  const times = [...(vmi.status?.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: null }];
  const said: VirtualMachineInstance = { ...vmi, status: { ...vmi.status, phase, phaseTransitionTimestamps: times } };
  server.put('virtualmachineinstances', said);
}

/** A machine that starts, runs, loses its pod, runs again and is deleted. Answers what was there at each station. */
async function life(fault?: { call: number; kind: Fault }): Promise<{ stations: unknown[]; calls: number }> {
  const it = product();
  const stations: unknown[] = [];
  const note = () => stations.push(summary(it));
  it.server.put('nodes', { metadata: { name: 'node-1' } });
  const { metadata, ...rest } = vmOf('Always');
  it.server.put('virtualmachines', { ...rest, metadata: { ...metadata, finalizers: [] } });
  if (fault) it.server.failCall(fault.call, fault.kind);
  await settle(it);
  note();
  startPods(it);
  await settle(it);
  note();
  handlerSays(it, 'Running');
  await settle(it);
  note();
  for (const pod of podsOf(it)) it.server.remove('pods', { namespace: 'n', name: pod.metadata.name });
  await settle(it);
  startPods(it);
  await settle(it);
  note();
  const vm = vmOfServer(it);
  if (vm)
    it.server.put('virtualmachines', {
      ...vm,
      metadata: { ...vm.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
  await settle(it);
  for (const pod of podsOf(it)) it.server.remove('pods', { namespace: 'n', name: pod.metadata.name });
  handlerSays(it, 'Failed');
  await settle(it);
  note();
  return { stations, calls: it.server.calls.length };
}

function summary(it: Product): unknown {
  const [vm, vmi] = [vmOfServer(it), vmiOf(it)];
  return {
    vm: vm && {
      printable: vm.status?.printableStatus,
      ready: vm.status?.ready ?? false,
      finalizers: vm.metadata.finalizers,
    },
    vmi: vmi && {
      phase: vmi.status?.phase,
      node: vmi.status?.nodeName,
      pods: Object.keys(vmi.status?.activePods ?? {}).length,
      finalizers: vmi.metadata.finalizers,
    },
    revisions: it.server.all('controllerrevisions').length,
    pods: podsOf(it).map(({ metadata, status }) => ({
      deleting: metadata.deletionTimestamp !== undefined,
      gates: status?.conditions?.filter(({ type }) => type.startsWith('kubevirt.io')).length,
    })),
  };
}

test('a life without faults', async () => {
  const { stations } = await life();
  const finalizers = ['kubevirt.io/virtualMachineControllerFinalize'];
  const ours = [...finalizers, 'kubevirt.io/foregroundDeleteVirtualMachine'];
  const pods = [{ deleting: false, gates: 1 }];
  expect(stations).toEqual([
    {
      vm: { printable: 'Starting', ready: false, finalizers },
      vmi: { phase: 'Scheduling', pods: 1, finalizers: ours },
      revisions: 1,
      pods,
    },
    {
      vm: { printable: 'Starting', ready: false, finalizers },
      vmi: { phase: 'Scheduled', node: 'node-1', pods: 1, finalizers: ours },
      revisions: 1,
      pods,
    },
    {
      vm: { printable: 'Running', ready: true, finalizers },
      vmi: { phase: 'Running', node: 'node-1', pods: 1, finalizers: ours },
      revisions: 1,
      pods,
    },
    {
      vm: { printable: 'Starting', ready: false, finalizers },
      vmi: { phase: 'Scheduled', node: 'node-1', pods: 1, finalizers: ours },
      revisions: 1,
      pods,
    },
    { vm: undefined, vmi: undefined, revisions: 1, pods: [] },
  ]);
});

test.each<Fault>(['request lost', 'answer lost'])(
  'whichever request fails (%s), every station is reached all the same, and never with two pods',
  async (kind) => {
    const { stations, calls } = await life();
    for (let call = 0; call < calls; call++) {
      const faulty = await life({ call, kind });
      expect({ call, stations: faulty.stations }).toEqual({ call, stations });
    }
  },
  60_000,
);
