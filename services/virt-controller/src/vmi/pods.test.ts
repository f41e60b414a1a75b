import { type PodState, podOf, vmiOf } from '../testing/objects.ts';
import { nextPodName } from './create-pod.ts';
import { gateChange } from './gate.ts';
import { currentPod, wasRefused } from './pods.ts';
import { refusedPodsToDrop, waitBeforeReplacing } from './replace.ts';

test.each<[PodState, boolean]>([
  ['refused', true],
  ['evicted-early', true],
  ['failed', false],
  ['succeeded', false],
  ['up', false],
  ['pending', false],
])('%s: was it refused before anything ran? %s', (state, refused) => {
  expect(wasRefused(podOf(state))).toBe(refused);
});

test('two attempts at one pod have one name, and a replacement has another', () => {
  const vmi = vmiOf('Scheduling');
  const first = nextPodName(vmi, []);
  expect(first).toMatch(/^virt-launcher-demo-[a-z0-9]{5}$/);
  expect(nextPodName(vmi, [podOf('up')])).toBe(first);
  const second = nextPodName(vmi, [podOf('refused', { uid: 'r1' })]);
  expect(second).not.toBe(first);
  const both = [podOf('refused', { uid: 'r1' }), podOf('refused', { uid: 'r2' })];
  expect(nextPodName(vmi, both)).toBe(nextPodName(vmi, [...both].reverse()));
  expect(nextPodName(vmiOf('Scheduling', { uid: 'other' }), [])).not.toBe(first);
});

test('the current pod is the newest on the node of the instance', () => {
  const old = podOf('up', { uid: 'old', creationTimestamp: '2025-01-01T00:00:00Z' });
  const fresh = podOf('up', { uid: 'fresh' });
  const elsewhere = podOf('up', { uid: 'elsewhere', creationTimestamp: '2027-01-01T00:00:00Z' });
  elsewhere.spec.nodeName = 'node-2';
  expect(currentPod(vmiOf('Running'), [old, elsewhere, fresh])?.metadata.uid).toBe('fresh');
  expect(currentPod(vmiOf('Scheduling'), [old, elsewhere, fresh])?.metadata.uid).toBe('elsewhere');
});

test.each([
  [0, 0],
  [1, 1_000],
  [2, 2_000],
  [4, 8_000],
  [9, 30_000],
])('after %i refusals the next pod waits %i ms', (count, ms) => {
  const pods = Array.from({ length: count }, (_, index) => podOf('refused', { uid: `r${index}` }));
  expect(waitBeforeReplacing(pods, Date.parse(podOf('refused').metadata.creationTimestamp ?? ''))).toBe(ms);
});

test('refused pods stay for inspection, five of them, until the guest has a node', () => {
  const pods = Array.from({ length: 7 }, (_, index) => podOf('refused', { uid: `r${index}` }));
  expect(refusedPodsToDrop(vmiOf('Scheduling'), pods).map(({ metadata }) => metadata.uid)).toEqual(['r0', 'r1']);
  expect(refusedPodsToDrop(vmiOf('Scheduled'), pods)).toHaveLength(7);
});

test('the gate is open unless the guest is paused, and is written only when it changes', () => {
  const pod = podOf('up');
  const now = '2026-01-01T00:00:00Z';
  const open = gateChange(vmiOf('Scheduling'), pod, now);
  expect(open).toMatchObject({ status: 'True', reason: 'NotPaused' });
  const gated = { ...pod, status: { ...pod.status, conditions: open ? [open] : [] } };
  expect(gateChange(vmiOf('Running'), gated, now)).toBeUndefined();
  const paused = vmiOf('Running');
  paused.status = { ...paused.status, conditions: [{ type: 'Paused', status: 'True' }] };
  expect(gateChange(paused, gated, now)).toMatchObject({ status: 'False', reason: 'Paused' });
  expect(gateChange(vmiOf('Running'), podOf('terminating'), now)).toBeUndefined();
});
