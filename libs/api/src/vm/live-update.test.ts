import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachine } from '../defaults/defaults.ts';
import type { VirtualMachine, VirtualMachineInstanceSpec } from '../types.ts';
import { instanceOf } from './instance.ts';
import { isOfOtherGeneration, templateDrift } from './live-update.ts';

const config = kubevirtConfig(undefined);
const stage = kubevirtConfig({ metadata: { name: 'k' }, spec: { configuration: { vmRolloutStrategy: 'Stage' } } });
const source = { uuid: () => 'random', now: () => '2026-01-01T00:00:00Z' };

const stored = (): VirtualMachine =>
  defaultVirtualMachine(
    {
      metadata: { name: 'demo', namespace: 'shop', uid: 'vm-uid', generation: 3 },
      spec: {
        runStrategy: 'Always',
        template: {
          metadata: { labels: { of: 'template' } },
          spec: {
            domain: { memory: { guest: '128Mi' }, cpu: { cores: 1 }, devices: { disks: [{ name: 'root' }] } },
            nodeSelector: { zone: 'a' },
          },
        },
      },
    },
    config,
    source,
  );
const started = stored();
const vmi = instanceOf(started, config, source);

/** The machine after a change by its user. */
function changed(change: (spec: VirtualMachineInstanceSpec, vm: VirtualMachine) => void): VirtualMachine {
  const vm = stored();
  vm.metadata.generation = 4;
  change(vm.spec.template.spec, vm);
  return vm;
}

test('an instance knows the generation that it was made from', () => {
  expect(isOfOtherGeneration(started, vmi)).toBe(false);
  expect(
    isOfOtherGeneration(
      changed(() => {}),
      vmi,
    ),
  ).toBe(true);
});

test.each<[string, VirtualMachine, string[], string, object]>([
  ['the run strategy', changed((_, vm) => (vm.spec.runStrategy = 'Manual')), [], '4', { zone: 'a' }],
  ['cores', changed((spec) => (spec.domain.cpu = { cores: 2 })), ['domain.cpu.cores'], '3', { zone: 'a' }],
  [
    'memory and a disk',
    changed((spec) => {
      spec.domain.memory = { guest: '1Gi' };
      spec.domain.devices.disks?.push({ name: 'data' });
    }),
    ['domain.memory.guest (the guest does not run yet)', 'domain.devices.disks'],
    '3',
    { zone: 'a' },
  ],
  ['the node selector', changed((spec) => (spec.nodeSelector = { zone: 'b' })), [], '4', { zone: 'b' }],
  [
    'the node selector and cores',
    changed((spec) => {
      spec.nodeSelector = { zone: 'b' };
      spec.domain.cpu = { cores: 2 };
    }),
    ['domain.cpu.cores'],
    '3',
    { zone: 'b' },
  ],
  ['labels of the template', changed((_, vm) => (vm.spec.template.metadata = {})), [], '3', { zone: 'a' }],
])('a change of %s', (_what, vm, restartFor, generation, nodeSelector) => {
  const drift = templateDrift(vm, vmi, started.spec, config);
  expect(drift.restartFor).toEqual(restartFor);
  expect(drift.instance.metadata.annotations?.['kubevirt.io/vm-generation']).toBe(generation);
  expect(drift.instance.spec).toEqual({ ...vmi.spec, nodeSelector });
});

test('placement that is added and taken away reaches the instance', () => {
  const tolerations = [{ key: 'gpu', operator: 'Exists' as const }];
  const tolerant = changed((spec) => Object.assign(spec, { tolerations, nodeSelector: undefined }));
  const { instance, failure } = templateDrift(tolerant, vmi, started.spec, config);
  expect(instance.spec).toEqual({ ...vmi.spec, tolerations, nodeSelector: undefined });
  expect(failure).toBe('AffinityChangeError');
  const back = templateDrift(
    changed(() => {}),
    instance,
    started.spec,
    config,
  );
  expect(back.instance.spec).toEqual({ ...vmi.spec, tolerations: undefined });
  expect(templateDrift(tolerant, instance, started.spec, config).instance).toEqual(instance);
});

test('under the rollout strategy Stage everything waits for the next start', () => {
  const drift = templateDrift(
    changed((spec) => (spec.nodeSelector = { zone: 'b' })),
    vmi,
    started.spec,
    stage,
  );
  expect(drift.restartFor).toEqual(['nodeSelector.zone']);
  expect(drift.instance).toBe(vmi);
});

test('what is fixed on an old machine by an update of anything is no change of the guest', () => {
  const old = stored();
  delete old.spec.template.spec.domain.firmware;
  delete old.spec.template.spec.domain.machine;
  expect(
    templateDrift(
      changed(() => {}),
      vmi,
      old.spec,
      config,
    ).restartFor,
  ).toEqual([]);
});
