import type { Node, Pod } from '@yagura/api';
import { podOf, vmiOf } from '../testing/objects.ts';
import { nodeLoss } from './node-loss.ts';

const node = (status: string | undefined, taints: { key: string; effect: string }[] = []): Node => ({
  metadata: { name: 'node-1' },
  spec: { taints },
  status: {
    conditions: status
      ? [{ type: 'Ready', status: status as 'True', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }]
      : [],
  },
});
const pod: Pod = podOf('up');

test('a guest on a node that is heard of, or on none yet, is not lost', () => {
  expect(nodeLoss(vmiOf('Running'), node('True'), pod)).toBeUndefined();
  expect(nodeLoss(vmiOf('Running'), node(undefined), pod)).toBeUndefined();
  expect(nodeLoss(vmiOf('Scheduling'), undefined, pod)).toBeUndefined();
  expect(nodeLoss(vmiOf('Failed'), undefined, undefined)).toBeUndefined();
});

test.each<[string, Node | undefined, string, RegExp]>([
  [
    'of which nothing is heard',
    node('Unknown'),
    'NodeUnresponsive',
    /not heard of since 2026-01-01T00:00:00Z: the guest may still run there.*taint node node-1 node.kubernetes.io\/out-of-service=nodeshutdown:NoExecute, or kubectl -n n delete pod virt-launcher-demo-aaaaa --grace-period=0 --force/,
  ],
  [
    'that is gone',
    undefined,
    'NodeUnresponsive',
    /node-1 does not exist any more.*say so: kubectl -n n delete pod virt-launcher-demo/,
  ],
  ['that says that it is not ready', node('False'), 'NodeNotReady', /not ready; its guest may run on: m/],
  [
    'that is out of service',
    node('Unknown', [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }]),
    'NodeUnresponsive',
    /waiting until its pods have been removed/,
  ],
])('a guest on a node %s: what it waits for, and what to do', (_what, lost, reason, message) => {
  const found = nodeLoss(vmiOf('Running'), lost, pod);
  expect(found?.reason).toBe(reason);
  expect(found?.message).toMatch(message);
});
