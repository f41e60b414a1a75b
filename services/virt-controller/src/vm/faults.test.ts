import type { VirtualMachine } from '@yagura/api';
import type { Fault } from '../testing/api-server.ts';
import { vmOf } from '../testing/objects.ts';
import {
  handlerSays,
  instanceOf,
  machineOf,
  type Product,
  podsOf,
  product,
  settle,
  startPods,
} from '../testing/product.ts';

/** What virt-handler, the kubelet and users do between two stations. */
function world(it: Product) {
  const change = (edit: (vm: VirtualMachine) => void) => {
    const vm = structuredClone(machineOf(it));
    if (!vm) throw new Error('there is no machine');
    edit(vm);
    it.server.put('virtualmachines', vm);
  };
  return {
    runs: async () => {
      startPods(it);
      await settle(it);
      handlerSays(it, 'Running');
      await settle(it);
    },
    ends: async (phase: 'Succeeded' | 'Failed') => {
      handlerSays(it, phase);
      for (const pod of podsOf(it)) it.server.remove('pods', { namespace: 'n', name: pod.metadata.name });
      await settle(it);
    },
    edit: async (edit: (spec: VirtualMachine['spec']) => void) => {
      change((vm) => {
        edit(vm.spec);
        vm.metadata.generation = (vm.metadata.generation ?? 0) + 1;
      });
      await settle(it);
    },
    asks: async (...actions: ('Start' | 'Stop')[]) => {
      const uid = instanceOf(it)?.metadata.uid ?? '';
      const stateChangeRequests = actions.map((action) => (action === 'Stop' ? { action, uid } : { action }));
      change((vm) => (vm.status = { ...vm.status, stateChangeRequests }));
      await settle(it);
    },
  };
}

/** What an observer sees; instances are numbered in the order in which they appear. */
function observer(it: Product) {
  const seen: string[] = [];
  const stations: unknown[] = [];
  return {
    stations,
    note: () => {
      const [vm, vmi] = [machineOf(it), instanceOf(it)];
      const uid = vmi?.metadata.uid;
      if (uid && !seen.includes(uid)) seen.push(uid);
      stations.push({
        printed: vm?.status?.printableStatus,
        requests: vm?.status?.stateChangeRequests?.length ?? 0,
        conditions: vm?.status?.conditions?.map(({ type, status }) => `${type}=${status}`),
        generations: [vm?.status?.observedGeneration, vm?.status?.desiredGeneration],
        instance: uid && `${seen.indexOf(uid) + 1} ${vmi.status?.phase}`,
        selector: vmi?.spec.nodeSelector,
        revisions: it.server
          .all<{ metadata: { name: string } }>('controllerrevisions')
          .map(({ metadata }) => metadata.name),
      });
    },
  };
}

/** RerunOnFailure: changed while it runs, restarted, crashed, stopped, started again. */
async function life(fault?: { call: number; kind: Fault }): Promise<{ stations: unknown[]; calls: number }> {
  const it = product();
  const { runs, ends, edit, asks } = world(it);
  const { stations, note } = observer(it);
  it.server.put('nodes', { metadata: { name: 'node-1' } });
  it.server.put('virtualmachines', vmOf('RerunOnFailure'));
  if (fault) it.server.failCall(fault.call, fault.kind);
  await settle(it);
  await runs();
  note();
  await edit(({ template }) => (template.spec.nodeSelector = { zone: 'b' }));
  note();
  await edit(({ template }) => (template.spec.domain.cpu = { cores: 2 }));
  note();
  await asks('Stop', 'Start');
  await ends('Succeeded');
  await runs();
  note();
  await ends('Failed');
  await runs();
  note();
  await asks('Stop');
  await ends('Succeeded');
  note();
  await asks('Start');
  await runs();
  note();
  return { stations, calls: it.server.calls.length };
}

test('a life under RerunOnFailure, without faults', async () => {
  const { stations } = await life();
  const brief = (stations as { instance?: string; printed: string; conditions: string[]; revisions: string[] }[]).map(
    ({ instance, printed, conditions, revisions }) => [
      printed,
      instance,
      conditions.includes('RestartRequired=True'),
      revisions.map((name) => name.slice(-1)).join(),
    ],
  );
  expect(brief).toEqual([
    ['Running', '1 Running', false, '3'],
    ['Running', '1 Running', false, '3'],
    ['Running', '1 Running', true, '3'],
    ['Running', '2 Running', false, '5'],
    ['Running', '3 Running', false, '5'],
    ['Stopped', undefined, false, '5'],
    ['Running', '4 Running', false, '5'],
  ]);
});

test.each<Fault>(['request lost', 'answer lost'])(
  'whichever request fails (%s), every station is the same',
  async (kind) => {
    const { stations, calls } = await life();
    for (let call = 0; call < calls; call++) {
      const faulty = await life({ call, kind });
      expect({ call, stations: faulty.stations }).toEqual({ call, stations });
    }
  },
  120_000,
);
