import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachine } from '../defaults/defaults.ts';
import type { Domain, VirtualMachine, VirtualMachineInstance } from '../types.ts';
import { instanceOf } from './instance.ts';
import { templateDrift } from './live-update.ts';

const config = kubevirtConfig(undefined);
const source = { uuid: () => 'random', now: () => '2026-01-01T00:00:00Z' };

function vmOf(domain: Partial<Domain>): VirtualMachine {
  const spec = { domain: { memory: { guest: '128Mi' }, devices: {}, ...domain } };
  const vm = {
    metadata: { name: 'demo', namespace: 'shop', uid: 'vm-uid', generation: 3 },
    spec: { runStrategy: 'Always' as const, template: { spec } },
  };
  return defaultVirtualMachine(vm, config, source);
}

/** The instance of the first machine, whose guest has so many sockets, and whose spec has come to ask for so many. */
function running(started: Partial<Domain>, guest?: number, asked = guest): VirtualMachineInstance {
  const vmi = instanceOf(vmOf(started), config, source);
  vmi.status = { ...vmi.status, phase: 'Running' };
  const { cpu } = vmi.spec.domain;
  if (asked !== undefined) vmi.spec.domain.cpu = { ...cpu, sockets: asked };
  if (guest !== undefined) vmi.status = { ...vmi.status, currentCPUTopology: { sockets: guest, cores: 1, threads: 1 } };
  return vmi;
}

const drift = (started: Partial<Domain>, now: Partial<Domain>, vmi = running(started), of = config) =>
  templateDrift(vmOf(now), vmi, vmOf(started).spec, of);

const one = { cpu: { sockets: 1 } };
const multiqueue = { devices: { networkInterfaceMultiqueue: true } };
const stage = kubevirtConfig({ metadata: { name: 'k' }, spec: { configuration: { vmRolloutStrategy: 'Stage' } } });

/** Its pod is made, its guest is not there yet. */
const starting: VirtualMachineInstance = { ...running(one), status: { phase: 'Scheduling' } };

test.each<[string, ReturnType<typeof drift>, sockets: number, restartFor: string[]]>([
  ['more sockets', drift(one, { cpu: { sockets: 3 } }), 3, []],
  ['more sockets where there was no topology', drift({}, { cpu: { sockets: 3, cores: 1 } }), 3, []],
  ['more sockets before it runs', drift(one, { cpu: { sockets: 3 } }, starting), 1, ['domain.cpu.sockets']],
  ['as many as it may have', drift(one, { cpu: { sockets: 4 } }), 4, []],
  ['too many', drift(one, { cpu: { sockets: 5 } }), 1, ['domain.cpu.sockets']],
  [
    'too many for its own limit',
    drift({ cpu: { maxSockets: 2 } }, { cpu: { maxSockets: 2, sockets: 3 } }),
    1,
    ['domain.cpu.sockets'],
  ],
  ['fewer', drift({ cpu: { sockets: 2 } }, one), 2, ['domain.cpu.sockets']],
  ['fewer than it was given meanwhile', drift(one, one, running(one, 2)), 2, ['domain.cpu.sockets']],
  ['fewer than it waits for', drift(one, one, running(one, 1, 4)), 1, []],
  ['cores too', drift(one, { cpu: { sockets: 2, cores: 2 } }), 1, ['domain.cpu.cores', 'domain.cpu.sockets']],
  ['another maximum', drift(one, { cpu: { sockets: 2, maxSockets: 8 } }), 2, ['domain.cpu.maxSockets']],
  [
    'sockets with a queue for each CPU',
    drift({ ...multiqueue, ...one }, { ...multiqueue, cpu: { sockets: 2 } }),
    1,
    ['domain.cpu.sockets'],
  ],
  [
    'sockets that follow from the limit',
    drift({ resources: { limits: { cpu: '1' } } }, { resources: { limits: { cpu: '2' } } }),
    1,
    ['domain.resources.limits.cpu'],
  ],
  ['more sockets under Stage', drift(one, { cpu: { sockets: 3 } }, running(one), stage), 1, ['domain.cpu.sockets']],
])('%s', (_what, { instance, restartFor }, sockets, restart) => {
  expect(instance.spec.domain.cpu?.sockets).toBe(sockets);
  expect(restartFor.sort()).toEqual(restart);
});

test('CPUs that were asked for explicitly grow by as many as come, and are taken back with them', () => {
  const resources = { requests: { cpu: '500m', memory: '128Mi' }, limits: { cpu: '1' } };
  const started = { ...one, resources };
  const { instance, failure } = drift(started, { cpu: { sockets: 3 }, resources });
  expect(instance.spec.domain.resources).toEqual({
    requests: { cpu: '2500m', memory: '128Mi' },
    limits: { cpu: '3' },
  });
  expect(failure).toBe('HotPlugCPUError');
  const waiting = {
    ...instance,
    status: { ...instance.status, currentCPUTopology: { sockets: 1, cores: 1, threads: 1 } },
  };
  expect(drift(started, started, waiting).instance.spec.domain.resources).toEqual(resources);
});
