import { type KubeVirtConfiguration, kubevirtConfig, type NodeCapabilities } from '@yagura/api';
import { capabilityLabels, labelChanges, obsoleteHostModel } from './labels.ts';

const NODE: NodeCapabilities = {
  machineTypes: ['pc', 'pc-q35-10.0', 'q35'],
  emulated: { models: ['qemu64', 'EPYC'], features: ['x2apic'], vendor: 'AMD' },
  kvm: { models: ['Haswell'], hostModel: 'Skylake', vendor: 'Intel', features: ['vmx'] },
};
const labels = (configuration: KubeVirtConfiguration, node = NODE) =>
  Object.keys(capabilityLabels(node, kubevirtConfig({ metadata: { name: 'k' }, spec: { configuration } }))).sort();
const MACHINES = ['machine-type.node.kubevirt.io/pc-q35-10.0', 'machine-type.node.kubevirt.io/q35'];

test('a node says what guests can be with the accelerator that they get', () => {
  expect(labels({})).toEqual([
    'cpu-feature.node.kubevirt.io/vmx',
    'cpu-model.node.kubevirt.io/Haswell',
    'cpu-vendor.node.kubevirt.io/Intel',
    'host-model-cpu.node.kubevirt.io/Skylake',
    'host-model-required-features.node.kubevirt.io/vmx',
    ...MACHINES,
  ]);
  expect(labels({ obsoleteCPUModels: { EPYC: true }, developerConfiguration: { useEmulation: true } })).toEqual([
    'cpu-feature.node.kubevirt.io/x2apic',
    'cpu-model.node.kubevirt.io/qemu64',
    'cpu-vendor.node.kubevirt.io/AMD',
    ...MACHINES,
  ]);
});

test('a node without KVM offers no CPU where KVM is what guests get', () => {
  const { kvm: _, ...emulatedOnly } = NODE;
  expect(labels({}, emulatedOnly)).toEqual(MACHINES);
});

test.each([
  [{ obsoleteCPUModels: { Skylake: true } }, 'Skylake'],
  [{ obsoleteCPUModels: { Skylake: false } }, undefined],
  [{ obsoleteCPUModels: { Skylake: true }, developerConfiguration: { useEmulation: true } }, undefined],
])('with %j the obsolete model of the host is %s', (configuration, model) => {
  const config = kubevirtConfig({ metadata: { name: 'k' }, spec: { configuration } });
  expect(obsoleteHostModel(NODE, config)).toBe(model);
  expect('node-labeller.kubevirt.io/obsolete-host-model' in capabilityLabels(NODE, config)).toBe(model !== undefined);
});

test('what a node can no longer do goes; labels of others stay', () => {
  const present = { 'cpu-model.node.kubevirt.io/Old': 'true', 'kubevirt.io/schedulable': 'true', zone: 'a' };
  expect(labelChanges(present, { 'cpu-model.node.kubevirt.io/New': 'true' })).toEqual({
    'cpu-model.node.kubevirt.io/New': 'true',
    'cpu-model.node.kubevirt.io/Old': null,
  });
});
