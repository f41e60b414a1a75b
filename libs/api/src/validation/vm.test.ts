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

describe('DataVolumes that come with the machine', () => {
  const volumes = [{ name: 'a', dataVolume: { name: 'dv' } }];
  const withTemplates = (...dataVolumeTemplates: object[]) =>
    fields({ running: false, dataVolumeTemplates, template: { spec: { ...good, volumes } } });
  const dv = (spec: object, name = 'dv') => ({ metadata: { name }, spec });
  const D = 'spec.dataVolumeTemplates[0]';

  test.each<[string, object, string]>([
    ['without a name', dv({ pvc: {}, source: { blank: {} } }, ''), `FieldValueRequired ${D}.metadata.name`],
    ['of a name that is none', dv({ pvc: {}, source: { blank: {} } }, 'A b'), `FieldValueInvalid ${D}.metadata.name`],
    ['without storage', dv({ source: { blank: {} } }), `FieldValueRequired ${D}.spec`],
    ['with storage twice', dv({ pvc: {}, storage: {}, source: { blank: {} } }), `FieldValueInvalid ${D}.spec`],
    ['without a source', dv({ pvc: {} }), `FieldValueRequired ${D}.spec`],
    [
      'with two kinds of source',
      dv({ pvc: {}, source: { blank: {}, http: {} } }),
      `FieldValueInvalid ${D}.spec.source`,
    ],
    ['with two sources', dv({ pvc: {}, source: { blank: {} }, sourceRef: {} }), `FieldValueInvalid ${D}.spec`],
    ['that nobody uses', dv({ pvc: {}, source: { blank: {} } }, 'other'), `FieldValueInvalid ${D}`],
  ])('%s are refused', (_what, template, cause) => {
    expect(withTemplates(template)).toContain(cause);
  });

  test('of one name are refused', () => {
    const one = dv({ pvc: {}, source: { blank: {} } });
    expect(withTemplates(one, one)).toContain('FieldValueDuplicate spec.dataVolumeTemplates[1].metadata.name');
  });
});

test('labels that route an instance are not for templates either', () => {
  const template = { metadata: { labels: { 'kubevirt.io/nodeName': 'n' } }, spec: good };
  expect(fields({ running: false, template })).toEqual([
    'FieldValueNotSupported spec.template.metadata.labels[kubevirt.io/nodeName]',
  ]);
});

test('annotations that would change the machine are refused', () => {
  const template = { metadata: { annotations: { 'kubevirt.io/ignitiondata': '{}' } }, spec: good };
  expect(fields({ running: false, template })).toEqual([
    'FieldValueNotSupported spec.template.metadata.annotations[kubevirt.io/ignitiondata]',
  ]);
});

test.each<[string, object, object, string[]]>([
  ['the run strategy during a restore', { restoreInProgress: 'r' }, { running: true }, ['spec.running']],
  ['whether it runs during a snapshot', { snapshotInProgress: 's' }, { running: true }, ['spec.running']],
  [
    'the volumes during a snapshot',
    { snapshotInProgress: 's' },
    { template: { spec: { ...good, volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }] } } },
    ['spec.template.spec.volumes'],
  ],
  ['whether it runs at another time', {}, { running: true }, []],
])('a change of %s', (_what, status, change, refused) => {
  const old = { ...vm({ running: false }), status };
  const changed = vm({ running: false, ...change });
  expect(validateVirtualMachine(changed, config, old).map(({ field }) => field)).toEqual(refused);
});
