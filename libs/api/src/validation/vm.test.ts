import { kubevirtConfig } from '../config.ts';
import type { VirtualMachine } from '../types.ts';
import { validateVirtualMachine, virtualMachineWarnings } from './vm.ts';

const config = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { network: { defaultNetworkInterface: 'masquerade' } } },
});
const good = { domain: { memory: { guest: '128Mi' }, devices: {} } };
const vm = (spec: object): VirtualMachine => ({ metadata: { name: 'x' }, spec: { template: { spec: good }, ...spec } });
const fields = (spec: object) =>
  validateVirtualMachine(vm(spec), config).map(({ reason, field }) => `${reason} ${field}`);

test.each(['Always', 'RerunOnFailure', 'Manual', 'Once', 'Halted'])('run strategy %s is accepted', (runStrategy) => {
  expect(fields({ runStrategy })).toEqual([]);
});

test.each<[string, object, string]>([
  ['no run strategy', {}, 'FieldValueRequired spec.running'],
  ['both fields', { running: true, runStrategy: 'Always' }, 'FieldValueInvalid spec.running'],
  ['an unknown strategy', { runStrategy: 'Sometimes' }, 'FieldValueInvalid spec.runStrategy'],
  ['a strategy that is not there yet', { runStrategy: 'WaitAsReceiver' }, 'FieldValueNotSupported spec.runStrategy'],
  ['an instance type', { running: true, instancetype: { name: 'u1' } }, 'FieldValueNotSupported spec.instancetype'],
  [
    'a fault of the template',
    { running: true, template: { spec: { domain: { devices: {} } } } },
    'FieldValueRequired spec.template.spec.domain.memory.guest',
  ],
  [
    'an unknown bus in the template',
    {
      running: true,
      template: {
        spec: {
          domain: { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'a', disk: { bus: 'x' } }] } },
          volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
        },
      },
    },
    'FieldValueNotSupported spec.template.spec.domain.devices.disks[0].disk.bus',
  ],
])('%s is refused', (_, spec, cause) => {
  expect(fields(spec)).toContain(cause);
});

test('a volume without a disk is fine: it gets one at each start', () => {
  const volumes = [{ name: 'a', emptyDisk: { capacity: '1Gi' } }];
  expect(fields({ running: false, template: { spec: { ...good, volumes } } })).toEqual([]);
});

test('spec.running is warned of', () => {
  expect(virtualMachineWarnings(vm({ running: true }))).toHaveLength(1);
  expect(virtualMachineWarnings(vm({ runStrategy: 'Always' }))).toEqual([]);
});
