import { type AddressedPod, checkAddressOfPod } from './pod-addresses.ts';

const pod = (networkStatus?: string): AddressedPod => ({
  metadata: {
    name: 'virt-launcher-vm',
    ...(networkStatus ? { annotations: { 'k8s.v1.cni.cncf.io/network-status': networkStatus } } : {}),
  },
  status: { podIPs: [{ ip: '10.244.2.5' }, { ip: 'fd00::5' }] },
});
const attached = JSON.stringify([{ name: 'n/lan', interface: 'pod1', ips: ['192.168.7.2', 'nonsense'] }]);

test.each<[address: string, pods: AddressedPod[], dialled: boolean]>([
  ['10.244.2.5', [pod()], true],
  ['fd00:0:0::5', [pod()], true],
  ['192.168.7.2', [pod(attached)], true],
  ['192.168.7.2', [pod()], false],
  ['192.168.7.2', [pod('{oops')], false],
  ['10.96.0.1', [pod(attached)], false],
  ['10.244.2.5', [], false],
])('%s of %j is dialled: %s', (address, pods, dialled) => {
  const check = () => checkAddressOfPod(address, pods);
  if (dialled) expect(check).not.toThrow();
  else expect(check).toThrow('only the guest says');
});
