import { encodeLauncherEnd, type Pod, type PodStatus } from '@yagura/api';
import { computeEnd, computeTime, podLoss } from './launcher-pod.ts';

const podWith = (status: PodStatus, metadata: object = {}) =>
  ({ metadata: { name: 'virt-launcher-demo-x', ...metadata }, spec: { containers: [] }, status }) as unknown as Pod;
const compute = (state: object) =>
  podWith({ containerStatuses: [{ name: 'compute', ready: false, restartCount: 0, image: '', imageID: '', state }] });

test('a launcher’s last words are read from its container’s termination message', () => {
  const words = { outcome: 'destroyed', message: 'killed on request', ran: true, podTerminating: true } as const;
  const message = encodeLauncherEnd(words);
  expect(computeEnd(compute({ terminated: { exitCode: 5, reason: 'Error', message } }))).toEqual({
    exitCode: 5,
    message: 'Error',
    lastWords: words,
  });
});

test('other last words are for people', () => {
  const terminated = { exitCode: 1, reason: 'StartError', message: 'no such file\n' };
  expect(computeEnd(compute({ terminated }))).toEqual({
    exitCode: 1,
    message: 'StartError: no such file',
    lastWords: undefined,
  });
});

test('the compute container has a time of its start or of its end, if the kubelet tells', () => {
  const running = compute({ running: { startedAt: '2026-11-30T12:00:00Z' } });
  const ended = compute({ terminated: { exitCode: 0, finishedAt: '2026-11-30T12:00:01Z' } });
  const start = Date.parse('2026-11-30T12:00:00Z');
  expect([computeTime(running, 'startedAt'), computeTime(running, 'finishedAt')]).toEqual([start, undefined]);
  expect([computeTime(ended, 'startedAt'), computeTime(ended, 'finishedAt')]).toEqual([undefined, start + 1_000]);
  expect(computeTime(compute({ terminated: { exitCode: 0, finishedAt: null } }), 'finishedAt')).toBeUndefined();
});

const disrupted = (reason: string) => [{ type: 'DisruptionTarget', status: 'True' as const, reason, message: 'why' }];
const deletionTimestamp = '2026-11-30T12:00:00Z';

test.each<[string, PodStatus, object, object | undefined]>([
  ['a pod that runs is not lost', { phase: 'Running' }, {}, undefined],
  ['a pod that failed by its containers is not lost', { phase: 'Failed' }, {}, undefined],
  [
    'an evicted pod says so',
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    {},
    { reason: 'Evicted', message: 'The node was low on resource: memory.' },
  ],
  [
    'a node that shuts down says so, whoever deletes the pod later',
    { phase: 'Failed', reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' },
    { deletionTimestamp },
    { reason: 'Terminated' },
  ],
  ['a reason of a pod that has not failed is none', { phase: 'Running', reason: 'NodeLost' }, {}, undefined],
  [
    'a pod that is being deleted is lost',
    { phase: 'Running' },
    { deletionTimestamp },
    { reason: 'LauncherPodDeleted' },
  ],
  [
    'an ended pod that was disrupted is lost',
    { phase: 'Succeeded', conditions: disrupted('TerminationByKubelet') },
    {},
    { reason: 'TerminationByKubelet', message: 'why' },
  ],
  [
    'one that still ends has not said its last word',
    { phase: 'Running', conditions: disrupted('TerminationByKubelet') },
    {},
    undefined,
  ],
])('%s', (_, status, metadata, loss) => {
  const found = podLoss(podWith(status, metadata));
  if (loss === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(loss);
});
