import type { ClusterFile, Decision, Found } from './cluster-file.ts';
import { decide } from './cluster-file.ts';

const mine: ClusterFile = { version: 1, checkout: '/work/main', nodes: 2, bootId: 'boot-1' };
const alive: Found = { file: mine, traces: true, controlPlaneRuns: true };
const want = { checkout: '/work/main', nodes: undefined, bootId: 'boot-1' };

test.each<[string, Found, { checkout?: string; nodes?: number; bootId?: string }, Decision]>([
  ['a bare machine', { file: undefined, traces: false, controlPlaneRuns: false }, {}, { action: 'create' }],
  ['its own, running', alive, {}, { action: 'keep', nodes: 2 }],
  ['its own, running, and the same number of nodes', alive, { nodes: 2 }, { action: 'keep', nodes: 2 }],
  ['its own with another number of nodes', alive, { nodes: 3 }, { action: 'replace', why: '2 nodes, now 3' }],
  ["another checkout's", alive, { checkout: '/work/other' }, { action: 'replace', why: 'the cluster of /work/main' }],
  [
    'one of before the reboot',
    alive,
    { bootId: 'boot-2' },
    { action: 'replace', why: 'a cluster of before the reboot' },
  ],
  [
    'one whose processes were killed',
    { ...alive, controlPlaneRuns: false },
    {},
    { action: 'replace', why: 'a cluster that was killed' },
  ],
  [
    'traces without a file',
    { ...alive, file: undefined },
    {},
    { action: 'replace', why: 'traces of an unfinished cluster' },
  ],
])('up finds %s', (_, found, changes, decision) => {
  expect(decide(found, { ...want, ...changes })).toEqual(decision);
});
