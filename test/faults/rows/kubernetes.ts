import { cutOff, plugIn, startOnNode, stopOnNode } from '../../cluster/local/faults.ts';
import { kubectl, yagura } from '../../e2e/support/cluster.ts';
import type { Fault } from '../fault.ts';

/** Kubernetes, its node or its user does something to the machine. */
export const kubernetesFaults: Fault[] = [
  {
    name: 'paused by user',
    expected: { layer: 'domain', signals: ['paused-by-user'] },
    withinSeconds: 5,
    inject: async ({ namespace, name }) => void (await yagura('pause', `${namespace}/${name}`)),
    repair: async ({ namespace, name }) => void (await yagura('unpause', `${namespace}/${name}`)),
  },
  {
    name: 'pod deleted by hand',
    expected: { layer: 'kubernetes', signals: ['launcher-pod-deleted'] },
    withinSeconds: 5,
    inject: async ({ namespace, pod }) =>
      void (await kubectl('-n', namespace, 'delete', 'pod', pod.metadata.name, '--wait=false')),
  },
  {
    name: 'kubelet stopped',
    expected: { layer: 'node', signals: ['kubelet-silent'] },
    // Kubernetes waits for 50 s.
    withinSeconds: 75,
    inject: ({ node }) => stopOnNode(node, 'kubelet'),
    repair: ({ node }) => startOnNode(node, 'kubelet'),
    healthyWithinSeconds: 90,
  },
  {
    name: 'node partitioned',
    expected: { layer: 'node', signals: ['node-lost'] },
    withinSeconds: 75,
    inject: ({ node }) => cutOff(node),
    repair: ({ node }) => plugIn(node),
    healthyWithinSeconds: 120,
  },
];
