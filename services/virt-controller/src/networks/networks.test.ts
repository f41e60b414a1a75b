import {
  ANNOTATIONS,
  type NetworkInterfaceStatus,
  type Pod,
  podInterfaceName,
  type VirtualMachineInstance,
} from '@yagura/api';
import { KubeError } from '@yagura/kube';
import fc from 'fast-check';
import { NOW, podOf, vmiOf } from '../testing/objects.ts';
import { networkDefinitions, withNetworkDevices } from './definitions.ts';
import { interfaceStatuses } from './interface-statuses.ts';
import { withNetworkCondition } from './migration-required.ts';
import { networksAnnotationChange } from './pod-networks.ts';

const blue = { name: 'blue', multus: { networkName: 'lan' } };
const inPod = podInterfaceName(blue);

function vmi(interfaces: NetworkInterfaceStatus[] | undefined, state?: 'absent'): VirtualMachineInstance {
  const base = vmiOf('Running');
  return {
    ...base,
    spec: {
      ...base.spec,
      domain: {
        ...base.spec.domain,
        devices: {
          interfaces: [
            { name: 'default', masquerade: {} },
            { name: 'blue', bridge: {}, ...(state ? { state } : {}) },
          ],
        },
      },
      networks: [{ name: 'default', pod: {} }, blue],
    },
    status: { ...base.status, ...(interfaces ? { interfaces } : {}) },
  };
}

function pod(attached: string[], annotations: Record<string, string> = {}): Pod {
  const base = podOf('up');
  const status = [{ interface: 'eth0', default: true }, ...attached.map((name) => ({ interface: name }))];
  return {
    ...base,
    metadata: {
      ...base.metadata,
      annotations: { ...annotations, [ANNOTATIONS.multusNetworkStatus]: JSON.stringify(status) },
    },
  };
}

const primary = { name: 'default', podInterfaceName: 'eth0' };

test.each<
  [what: string, before: NetworkInterfaceStatus[] | undefined, attached: string[], after: NetworkInterfaceStatus[]]
>([
  ['the first word', undefined, [], [primary]],
  [
    'what Multus has attached',
    undefined,
    [inPod],
    [primary, { name: 'blue', podInterfaceName: inPod, infoSource: 'multus-status' }],
  ],
  [
    'its word beside that of others, which stays',
    [
      { ...primary, mac: 'm', infoSource: 'domain' },
      { name: 'blue', mac: 'b', infoSource: 'domain, guest-agent' },
    ],
    [inPod],
    [
      { ...primary, mac: 'm', infoSource: 'domain' },
      { name: 'blue', mac: 'b', podInterfaceName: inPod, infoSource: 'domain, guest-agent, multus-status' },
    ],
  ],
  [
    'an interface that left the pod but not the guest',
    [primary, { name: 'blue', mac: 'b', podInterfaceName: inPod, infoSource: 'domain, multus-status' }],
    [],
    [primary, { name: 'blue', mac: 'b', infoSource: 'domain' }],
  ],
  [
    'one that only Multus knew',
    [primary, { name: 'blue', podInterfaceName: inPod, infoSource: 'multus-status' }],
    [],
    [primary],
  ],
  [
    'those that only the guest knows, and their order',
    [{ interfaceName: 'docker0', infoSource: 'guest-agent' }, primary],
    [],
    [{ interfaceName: 'docker0', infoSource: 'guest-agent' }, primary],
  ],
])('the interfaces of a status: %s', (_, before, attached, after) => {
  expect(interfaceStatuses(vmi(before), pod(attached))).toEqual(after);
});

test('a pod that is not there, and an annotation that cannot be read, take nothing away', () => {
  const attached = { name: 'blue', podInterfaceName: inPod, infoSource: 'multus-status' };
  const before = [{ ...primary, ipAddress: '10.0.0.1' }, attached];
  expect(interfaceStatuses(vmi(before), undefined)).toBe(before);
  const odd = podOf('up');
  odd.metadata.annotations = { [ANNOTATIONS.multusNetworkStatus]: '{oops' };
  expect(interfaceStatuses(vmi(before), odd)).toEqual(before);
  // Nor do they make a running guest wait for what it has, or stop waiting for what it has not.
  expect(withNetworkCondition([], vmi([]), odd, NOW)).toEqual([]);
  const waiting = withNetworkCondition([], vmi([]), pod([]), NOW);
  expect(withNetworkCondition(waiting, vmi([]), odd, NOW)).toBe(waiting);
});

test('whatever is known: no address is lost, no interface is there twice, and once is enough', () => {
  const entry = fc.record(
    {
      name: fc.constantFrom('default', 'blue', undefined),
      ipAddresses: fc.constantFrom(['10.0.0.1'], ['10.0.0.2', 'fd00::2']),
      infoSource: fc.constantFrom(
        'domain',
        'guest-agent',
        'domain, guest-agent',
        'multus-status',
        'domain, multus-status',
      ),
      podInterfaceName: fc.constantFrom('eth0', inPod),
    },
    { requiredKeys: ['infoSource'] },
  ) as fc.Arbitrary<NetworkInterfaceStatus>;
  const known = fc.uniqueArray(entry, { selector: ({ name }) => name ?? {}, maxLength: 4 });
  fc.assert(
    fc.property(known, fc.subarray([inPod, 'podother']), (before, attached) => {
      const once = interfaceStatuses(vmi(before), pod(attached));
      expect(interfaceStatuses(vmi(once), pod(attached))).toEqual(once);
      const names = once.flatMap(({ name }) => name ?? []);
      expect(new Set(names).size).toBe(names.length);
      for (const { name, infoSource, ipAddresses } of before) {
        if (infoSource === 'multus-status' && name === 'blue') continue;
        expect(once.some((after) => after.name === name && after.ipAddresses === ipAddresses)).toBe(true);
      }
    }),
  );
});

describe('the networks that a pod asks for', () => {
  const request = JSON.stringify([{ name: 'lan', namespace: 'n', interface: inPod }]);
  const asking = (text?: string) => pod([], text === undefined ? {} : { [ANNOTATIONS.multusNetworks]: text });

  test.each<[what: string, before: VirtualMachineInstance, pod: Pod | undefined, change: string | undefined]>([
    ['are those of the spec', vmi([]), asking(request), undefined],
    ['grow with it', vmi([]), asking(), request],
    [
      'stay while the guest has the device',
      vmi([{ name: 'blue', infoSource: 'domain' }], 'absent'),
      asking(request),
      undefined,
    ],
    ['go with it', vmi([{ name: 'blue', infoSource: 'multus-status' }], 'absent'), asking(request), '[]'],
    ['are not asked for without a pod', vmi([]), undefined, undefined],
  ])('%s', (_, before, of, change) => {
    expect(networksAnnotationChange(before, of)).toBe(change);
  });
});

test('a running guest whose pod lacks a network says what it waits for', () => {
  const waiting = withNetworkCondition([], vmi([]), pod([]), NOW);
  expect(waiting).toMatchObject([{ type: 'MigrationRequired', status: 'True', reason: 'NetworksNotAttached' }]);
  expect(waiting[0]?.message).toContain('network blue yet');
  expect(withNetworkCondition(waiting, vmi([]), pod([inPod]), NOW)).toEqual([]);
  const others = [{ type: 'MigrationRequired', status: 'True' as const, reason: 'Other' }];
  expect(withNetworkCondition(others, vmi([]), pod([inPod]), NOW)).toEqual(others);
});

describe('the definitions of networks', () => {
  const signal = new AbortController().signal;
  const definitions = (found: object | undefined) =>
    networkDefinitions(
      {
        get: async () => {
          if (found === undefined) throw new KubeError({ code: 404, reason: 'NotFound', message: 'no' }, 'GET');
          return found as never;
        },
      },
      vmi([]),
      signal,
    );

  test('are missed by name', async () => {
    expect(await definitions(undefined)).toEqual({
      problem: 'network blue needs NetworkAttachmentDefinition n/lan, which does not exist',
    });
  });

  test('name the devices that the pod then takes', async () => {
    const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'example.com/nic' };
    expect(await definitions({ metadata: { name: 'lan', annotations } })).toEqual({
      resources: { 'example.com/nic': 1 },
    });
    const with2 = withNetworkDevices(podOf('pending'), { 'example.com/nic': 2 });
    const compute = with2.spec.containers.find(({ name }) => name === 'compute');
    expect(compute?.resources).toMatchObject({
      requests: { 'example.com/nic': '2' },
      limits: { 'example.com/nic': '2' },
    });
    expect(with2.spec.containers.filter(({ resources }) => resources?.limits?.['example.com/nic'])).toHaveLength(1);
  });
});
