import type { Fault } from './testing/api-server.ts';
import { vmOf } from './testing/objects.ts';
import {
  handlerSays,
  instanceOf,
  machineOf,
  type Product,
  podsOf,
  product,
  settle,
  startPods,
} from './testing/product.ts';

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
  const vm = machineOf(it);
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
  const [vm, vmi] = [machineOf(it), instanceOf(it)];
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
