import type { Pod } from '@yagura/api';
import { observe } from '@yagura/layers';
import { testVmi } from '../vmi/testing.ts';
import { objectSamples } from './object-samples.ts';
import { Writers } from './writers.ts';

const now = new Date('2026-11-30T12:00:00Z');
const seenAt = { pods: now, vmis: now };
const shown = (...args: Parameters<typeof objectSamples>) =>
  Object.fromEntries(objectSamples(...args).map((sample) => [sample.field, observe(sample, now).value]));

test('the object and its pod, in the words of the layer report', () => {
  const vmi = testVmi({
    phase: 'Running',
    conditions: [{ type: 'Paused', status: 'True', reason: 'PausedByUser', message: 'paused' }],
  });
  const pod: Pod = {
    metadata: { name: 'virt-launcher-demo', uid: 'p', deletionTimestamp: '2026-11-30T12:00:00Z' },
    spec: { containers: [] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'compute', restartCount: 2, state: { running: {} } },
        { name: 'disk', restartCount: 0, state: { terminated: { exitCode: 1, reason: 'Error' } } },
      ] as never,
    },
  };
  expect(shown(vmi, pod, seenAt)).toEqual({
    'vmi.phase': 'Running',
    'vmi.reason': null,
    'vmi.deletionTimestamp': null,
    'vmi.condition.Paused': 'True: PausedByUser: paused',
    'pod.name': 'virt-launcher-demo',
    'pod.phase': 'Running (terminating)',
    'pod.ready': 'False',
    'pod.reason': null,
    'pod.container.compute': 'running, restarted 2 times',
    'pod.container.disk': 'ended (exit code 1): Error',
  });
});

test('without a pod it says so, and what no watch has brought is not known', () => {
  expect(shown(testVmi(), undefined, seenAt)).toMatchObject({ 'pod.phase': 'no launcher pod' });
  const samples = objectSamples(testVmi(), undefined, { pods: undefined, vmis: undefined });
  expect(new Set(samples.map((sample) => observe(sample, now).freshness))).toEqual(new Set(['never']));
});

describe('writers', () => {
  const managed = (manager: string, time: string, ...keys: string[]) => ({
    manager,
    time,
    fieldsV1: { 'f:status': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
  });
  const written = (...managedFields: object[]) => testVmi({}, {}, { managedFields });

  test('are those of the part of the status in which a field stands; of several the last', () => {
    const writers = new Writers();
    const vmi = writers.trim(
      written(
        managed('virt-handler', '2026-11-30T12:00:05Z', 'phase', 'conditions'),
        managed('virt-controller', '2026-11-30T12:00:01Z', 'conditions', 'nodeName'),
        { manager: 'kubectl', time: '2026-11-30T12:00:09Z', fieldsV1: { 'f:spec': {} } },
      ),
    );
    expect(vmi.metadata).not.toHaveProperty('managedFields');
    expect(
      ['vmi.phase', 'vmi.condition.Ready', 'vmi.nodeName', 'vmi.reason', 'pod.phase'].map((f) => writers.of(vmi, f)),
    ).toEqual(['virt-handler', 'virt-handler', 'virt-controller', undefined, undefined]);
  });

  test('an object without managed fields has none', () => {
    const writers = new Writers();
    expect(writers.of(writers.trim(testVmi()), 'vmi.phase')).toBeUndefined();
  });
});
