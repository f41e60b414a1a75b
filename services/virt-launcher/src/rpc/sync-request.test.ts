import { create, fromJson } from '@bufbuild/protobuf';
import { launcherVmi, type VirtualMachineInstance } from '@yagura/api';
import { RpcError, SyncVirtualMachineRequestSchema, VirtualMachineInstanceSchema } from '@yagura/contracts';
import { syncRequest } from './sync-request.ts';

const vmi: VirtualMachineInstance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'demo', namespace: 'default', uid: 'u-1' },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: '128Mi' }, devices: { interfaces: [{ name: 'default', masquerade: {} }], rng: {} } },
    networks: [{ name: 'default', pod: {} }],
  },
};
const message = (of: object) => fromJson(VirtualMachineInstanceSchema, of as never, { ignoreUnknownFields: true });

describe('a sync request', () => {
  test('gives back the instance as Kubernetes has it', () => {
    const request = create(SyncVirtualMachineRequestSchema, { vmi: message(launcherVmi(vmi)), options: {} });
    const { apiVersion: _, kind: __, ...rest } = vmi;
    expect(syncRequest(request).vmi).toEqual(rest);
  });

  test('gives the options in the words of the converter', () => {
    const request = create(SyncVirtualMachineRequestSchema, {
      vmi: message(launcherVmi(vmi)),
      options: {
        useEmulation: true,
        balloonStatsPeriod: { seconds: 5n },
        containerDisks: [{ volume: 'root', path: '/disk' }],
        kernelBoot: { kernelPath: '/k' },
        systemInformation: { family: 'KubeVirt' },
        interfaces: [
          {
            name: 'default',
            tapDevice: 'tap0',
            macAddress: '52:54:00:AA:BB:CC',
            mtu: 1450,
            dhcp: {
              serverAddress: '10.0.2.1',
              guestAddress: '10.0.2.2',
              prefixLength: 24,
              privateOptions: { 240: 'x' },
            },
          },
          { name: 'second', tapDevice: 'tap1' },
        ],
      },
    });
    const { options, containerDisks, leases } = syncRequest(request);
    expect(options).toEqual({
      accelerator: 'tcg',
      balloonStatsPeriodSeconds: 5,
      kernelBoot: { kernelPath: '/k' },
      systemInformation: { family: 'KubeVirt' },
      interfaces: [
        { name: 'default', tapDevice: 'tap0', macAddress: '52:54:00:AA:BB:CC', mtu: 1450 },
        { name: 'second', tapDevice: 'tap1' },
      ],
    });
    expect(containerDisks).toEqual(new Map([['root', '/disk']]));
    expect(leases).toEqual([
      {
        macAddress: '52:54:00:aa:bb:cc',
        serverAddress: '10.0.2.1',
        guestAddress: '10.0.2.2',
        prefixLength: 24,
        mtu: 1450,
        dnsServers: [],
        searchDomains: [],
        ntpServers: [],
        privateOptions: { 240: 'x' },
      },
    ]);
  });

  test.each<[string, object | undefined, object | undefined]>([
    ['vmi', undefined, {}],
    ['options', vmi, undefined],
    ['vmi.metadata.uid', { metadata: { name: 'a', namespace: 'b' }, spec: { domain: {} } }, {}],
    ['vmi.spec.domain', { metadata: { name: 'a', namespace: 'b', uid: 'c' }, spec: {} }, {}],
  ])('without %s is refused by that name', (field, of, options) => {
    const request = create(SyncVirtualMachineRequestSchema, {
      ...(of ? { vmi: message(of) } : {}),
      ...(options ? { options } : {}),
    });
    const refuse = () => syncRequest(request);
    expect(refuse).toThrow(RpcError);
    expect(refuse).toThrow(`${field} is missing`);
  });
});
