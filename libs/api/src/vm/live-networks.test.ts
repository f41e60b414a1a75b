import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachine } from '../defaults/defaults.ts';
import type { Interface, Network, VirtualMachine, VirtualMachineInstance } from '../types.ts';
import { instanceOf } from './instance.ts';
import { templateDrift } from './live-update.ts';

const config = kubevirtConfig({
  metadata: { name: 'k' },
  spec: { configuration: { network: { defaultNetworkInterface: 'masquerade' } } },
});
const source = { uuid: () => 'random', now: () => '2026-01-01T00:00:00Z' };
const pod = [
  { name: 'default', masquerade: {} },
  { name: 'default', pod: {} },
] as const;
const blue = [
  { name: 'blue', bridge: {} },
  { name: 'blue', multus: { networkName: 'lan' } },
] as const;
const with_ = (nic: Partial<Interface>, of: readonly [Interface, Network] = blue) =>
  [{ ...of[0], ...nic }, of[1]] as const;

function machine(of: (readonly [Interface, Network])[]): VirtualMachine {
  return defaultVirtualMachine(
    {
      metadata: { name: 'demo', namespace: 'shop', uid: 'vm-uid', generation: 3 },
      spec: {
        runStrategy: 'Always',
        template: {
          spec: {
            domain: {
              memory: { guest: '128Mi' },
              devices: of.length > 0 ? { interfaces: of.map(([nic]) => nic) } : {},
            },
            ...(of.length > 0 ? { networks: of.map(([, network]) => network) } : {}),
          },
        },
      },
    },
    config,
    source,
  );
}

type Networks = Parameters<typeof machine>[0];

/** @param at the start @param now what the running instance has been given since */
function drift(at: Networks, after: Networks, now = at, status: VirtualMachineInstance['status'] = {}) {
  const started = machine(at);
  const instance = instanceOf(started, config, source);
  const vmi = { ...instance, spec: { ...instanceOf(machine(now), config, source).spec }, status };
  return templateDrift(machine(after), vmi, started.spec, config);
}
const interfacesOf = ({ instance }: ReturnType<typeof drift>) => instance.spec.domain.devices.interfaces;

test.each<[what: string, at: Networks, after: Networks]>([
  ['a bridged interface on a Multus network comes', [pod], [pod, blue]],
  ['one comes beside the default', [], [pod, blue]],
  ['a link goes down', [pod, blue], [pod, with_({ state: 'down' })]],
  ['an interface goes', [pod, blue], [pod, with_({ state: 'absent' })]],
])('a running instance follows: %s', (_, at, after) => {
  const result = drift(at, after);
  expect(result.restartFor).toEqual([]);
  expect(interfacesOf(result)).toEqual(after.map(([nic]) => nic));
  expect(result.instance.spec.networks).toEqual(after.map(([, network]) => network));
});

test.each<[what: string, at: Networks, after: Networks]>([
  ['another model', [pod], [with_({ model: 'e1000e' }, pod)]],
  ['an interface that is simply left out', [pod, blue], [pod]],
  ['another network', [pod, blue], [pod, [blue[0], { name: 'blue', multus: { networkName: 'other' } }]]],
])('waits for a restart: %s', (_, at, after) => {
  const result = drift(at, after);
  expect(result.restartFor.join()).toMatch(/interfaces|networks/);
  expect(interfacesOf(result)).toEqual(at.map(([nic]) => nic));
});

test('what was plugged in and is in the template no more waits for a restart, unless it has left the guest', () => {
  const gone = with_({ state: 'absent' });
  expect(drift([pod], [pod], [pod, blue]).restartFor).toEqual(['networks', 'domain.devices.interfaces']);
  const has = { interfaces: [{ name: 'blue', infoSource: 'domain' }] };
  expect(drift([pod], [pod], [pod, gone], has).restartFor).toHaveLength(2);
  const left = drift([pod], [pod], [pod, gone], {});
  expect(left.restartFor).toEqual([]);
  expect(interfacesOf(left)).toEqual([pod[0]]);
});

test('what it has been given already is neither given again nor waited for', () => {
  const result = drift([pod], [pod, blue], [pod, blue]);
  expect(result.restartFor).toEqual([]);
  expect(interfacesOf(result)).toEqual([pod[0], blue[0]]);
});
