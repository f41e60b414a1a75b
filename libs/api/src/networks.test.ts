import { ANNOTATIONS } from './annotations.ts';
import { multusAnnotations, podInterfaceName } from './networks.ts';
import type { Interface, Network, VirtualMachineInstance } from './types.ts';

function vmi(interfaces: Interface[], networks: Network[]): VirtualMachineInstance {
  return { metadata: { name: 'demo', namespace: 'shop' }, spec: { domain: { devices: { interfaces } }, networks } };
}
const blue: Network = { name: 'blue', multus: { networkName: 'lan' } };
const red: Network = { name: 'red', multus: { networkName: 'infra/dmz' } };
const asked = (...args: Parameters<typeof multusAnnotations>) => {
  const text = multusAnnotations(...args)[ANNOTATIONS.multusNetworks];
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
};

test('Multus is asked for secondary networks, each under a name that follows from the network’s', () => {
  const mac = '02:00:00:00:00:05';
  const spec = vmi(
    [
      { name: 'default', masquerade: {} },
      { name: 'blue', bridge: {}, macAddress: mac },
      { name: 'red', bridge: {} },
    ],
    [{ name: 'default', pod: {} }, blue, red],
  );
  expect(asked(spec)).toEqual([
    { name: 'lan', namespace: 'shop', mac, interface: 'pod16477688c0e' },
    { name: 'dmz', namespace: 'infra', interface: 'podb1f51a511f1' },
  ]);
  expect(podInterfaceName({ name: 'default', pod: {} })).toBe('eth0');
});

test('nothing is asked for where the pod’s own network is all', () => {
  expect(multusAnnotations(vmi([{ name: 'default', masquerade: {} }], [{ name: 'default', pod: {} }]))).toEqual({});
});

test('a Multus network can take the place of the pod’s own', () => {
  const own: Network = { name: 'own', multus: { networkName: 'infra/lan', default: true } };
  expect(multusAnnotations(vmi([{ name: 'own', bridge: {} }], [own]))).toEqual({
    [ANNOTATIONS.multusDefaultNetwork]: 'infra/lan',
  });
  expect(podInterfaceName(own)).toBe('eth0');
});

test('an interface that is to be absent keeps its network for as long as the guest has it', () => {
  const spec = vmi([{ name: 'blue', bridge: {}, state: 'absent' }], [blue]);
  expect(asked(spec)).toBeUndefined();
  expect(asked(spec, new Set(['blue']))).toMatchObject([{ name: 'lan' }]);
});
