import { describeFurnishing, offersKvm } from './offers.ts';

const node = (allocatable?: Record<string, string>) => (allocatable === undefined ? {} : { status: { allocatable } });

test.each([
  ['no node has told anything yet', [node()], false],
  ['the nodes have devices, and none is KVM', [node({ 'devices.kubevirt.io/tun': '1k' })], false],
  ['the node that had KVM lost it', [node({ 'devices.kubevirt.io/kvm': '0' })], false],
  ['one of two nodes has it', [node({}), node({ 'devices.kubevirt.io/kvm': '1k' })], true],
])('KVM where %s', (_what, items, offered) => {
  expect(offersKvm({ items })).toBe(offered);
});

test('what a cluster has is named, and what it lacks with what that means', () => {
  const all = { defaultStorageClasses: ['standard'], attachments: true, daemonSets: ['kube-proxy', 'kube-multus-ds'] };
  expect(describeFurnishing(all)).toBe('StorageClass standard; Multus (kube-multus-ds)');
  expect(describeFurnishing({ ...all, daemonSets: [] })).toContain('something that is not Multus');
  expect(describeFurnishing({ defaultStorageClasses: [], attachments: false, daemonSets: [] })).toBe(
    'no default StorageClass (a claim that names no class stays Pending); no Multus (machines have the pod network only)',
  );
});
