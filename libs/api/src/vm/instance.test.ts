import { kubevirtConfig } from '../config.ts';
import type { VirtualMachine } from '../types.ts';
import { instanceOf, uuidOfName } from './instance.ts';
import { runStrategyOf } from './run-strategy.ts';

const source = { uuid: () => 'random', now: () => '2026-01-01T00:00:00Z' };
const config = kubevirtConfig(undefined);
const vm: VirtualMachine = {
  metadata: { name: 'demo', namespace: 'shop', uid: 'vm-uid', generation: 3, labels: { of: 'vm' } },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { of: 'template' }, annotations: { note: 'x' } },
      spec: { domain: { memory: { guest: '128Mi' }, devices: {} } },
    },
  },
};

test('an instance has the name of its machine, the labels of the template, and ends with it', () => {
  const { metadata, status } = instanceOf(vm, config, source);
  expect(metadata).toEqual({
    name: 'demo',
    namespace: 'shop',
    labels: { of: 'template' },
    annotations: {
      note: 'x',
      'kubevirt.io/vm-generation': '3',
      'kubevirt.io/pci-topology-version': 'v3',
    },
    finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'kubevirt.io/foregroundDeleteVirtualMachine'],
    ownerReferences: [
      {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        name: 'demo',
        uid: 'vm-uid',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(status?.phase).toBe('Pending');
});

test('the guest sees the same UUID at every start', () => {
  const uuids = [instanceOf(vm, config, source), instanceOf(vm, config, source)].map(
    ({ spec }) => spec.domain.firmware?.uuid,
  );
  expect(new Set(uuids).size).toBe(1);
  expect(uuids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidOfName('demo')).not.toBe(uuidOfName('demo2'));
});

test('it starts paused when that is asked for', () => {
  expect(instanceOf(vm, config, source, { paused: true }).spec.startStrategy).toBe('Paused');
  expect(instanceOf(vm, config, source).spec).not.toHaveProperty('startStrategy');
});

test('the template is not shared with the instance', () => {
  const before = structuredClone(vm);
  instanceOf(vm, config, source);
  expect(vm).toEqual(before);
});

test.each([
  [{ running: true }, 'Always'],
  [{ running: false }, 'Halted'],
  [{}, 'Halted'],
  [{ runStrategy: 'Manual' as const }, 'Manual'],
])('%j runs %s', (spec, strategy) => {
  expect(runStrategyOf({ spec: { template: vm.spec.template, ...spec } })).toBe(strategy);
});
