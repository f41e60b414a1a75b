import { checkStructure, unknownFields } from './structure.ts';

const vmi = (spec: object) => ({ metadata: { name: 'x' }, spec });
const at = (spec: unknown) => checkStructure('VirtualMachineInstance', vmi(spec as object)).map(({ field }) => field);

test('what is right has no causes', () => {
  expect(at({ domain: { devices: {}, memory: { guest: 1 }, resources: { requests: { cpu: '100m' } } } })).toEqual([]);
});

test.each<[string, unknown, string[]]>([
  ['no domain', {}, ['spec.domain']],
  ['no devices', { domain: {} }, ['spec.domain.devices']],
  ['text for a number', { domain: { devices: {}, cpu: { cores: '2' } } }, ['spec.domain.cpu.cores']],
  ['a fraction for a number', { domain: { devices: {}, cpu: { cores: 1.5 } } }, ['spec.domain.cpu.cores']],
  ['an object for a list', { domain: { devices: { disks: {} } } }, ['spec.domain.devices.disks']],
  ['null for an object', { domain: null }, ['spec.domain']],
  [
    'a disk without a name',
    { domain: { devices: { disks: [{ name: 'a' }, {}] } } },
    ['spec.domain.devices.disks[1].name'],
  ],
  ['a quantity that is none', { domain: { devices: {}, memory: { guest: '1 GB' } } }, ['spec.domain.memory.guest']],
  [
    'a quantity in a map',
    { domain: { devices: {}, resources: { limits: { cpu: {} } } } },
    ['spec.domain.resources.limits.cpu'],
  ],
  [
    'too many volumes',
    { domain: { devices: {} }, volumes: Array.from({ length: 257 }, (_, index) => ({ name: `v${index}` })) },
    ['spec.volumes'],
  ],
])('%s is found', (_, spec, fields) => {
  expect(at(spec)).toEqual(fields);
});

test.each([[undefined], [null], [[]], ['x']])('%j is not an object of any kind', (value) => {
  expect(checkStructure('VirtualMachine', value)).toHaveLength(1);
});

test('times and template metadata may be null, as exported manifests have them', () => {
  const template = { metadata: { creationTimestamp: null }, spec: { domain: { devices: {} } } };
  expect(checkStructure('VirtualMachine', { spec: { template } })).toEqual([]);
  expect(checkStructure('VirtualMachine', { spec: { template: { ...template, metadata: null } } })).toEqual([]);
});

test('misspelt fields are found, in lists too, and free-form parts are left alone', () => {
  const spec = {
    terminationGracePeriodSecond: 1,
    domain: { devices: { disks: [{ name: 'a', disk: { buss: 'virtio' } }] } },
    constructor: 1,
  };
  expect(unknownFields('VirtualMachineInstance', { metadata: { name: 'x', any: 1 }, spec }).sort()).toEqual([
    'spec.constructor',
    'spec.domain.devices.disks[0].disk.buss',
    'spec.terminationGracePeriodSecond',
  ]);
  const dataVolumeTemplates = [{ metadata: { name: 'dv' }, spec: { source: { blank: {} } } }];
  const vm = { spec: { dataVolumeTemplates, template: { spec: { domain: { devices: {} } } } } };
  expect(unknownFields('VirtualMachine', vm)).toEqual([]);
});
