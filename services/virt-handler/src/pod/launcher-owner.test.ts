import type { Pod } from '@yagura/api';
import { vmiNameOf, vmiUidOf } from './launcher-pod.ts';

const owner = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  name: 'demo',
  uid: 'v1',
  controller: true,
};
const podOf = (ownerReferences: object[], labels = {}, annotations = {}) =>
  ({ metadata: { name: 'p', ownerReferences, labels, annotations }, spec: { containers: [] } }) as unknown as Pod;

test('the instance that controls a pod is its owner, in any version of the group', () => {
  for (const apiVersion of ['kubevirt.io/v1', 'kubevirt.io/v1alpha3']) {
    const pod = podOf([
      { ...owner, kind: 'Node', controller: false },
      { ...owner, apiVersion },
    ]);
    expect([vmiUidOf(pod), vmiNameOf(pod)]).toEqual(['v1', 'demo']);
  }
});

test.each<[string, Pod]>([
  [
    'labels and annotations',
    podOf([], { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': 'v1' }, { 'kubevirt.io/domain': 'demo' }),
  ],
  ['a reference that does not control', podOf([{ ...owner, controller: false }])],
  ['a reference without a word about control', podOf([{ ...owner, controller: undefined }])],
  ['another kind', podOf([{ ...owner, kind: 'VirtualMachine' }])],
  ['another group', podOf([{ ...owner, apiVersion: 'evil.io/v1' }])],
  ['a group that only begins so', podOf([{ ...owner, apiVersion: 'kubevirt.io.evil/v1' }])],
  ['the core group', podOf([{ ...owner, apiVersion: 'v1' }])],
  ['an owner without uid', podOf([{ ...owner, uid: '' }])],
])('%s make nobody the owner', (_, pod) => {
  expect(vmiUidOf(pod)).toBeUndefined();
  expect(vmiNameOf(pod)).toBeUndefined();
});
