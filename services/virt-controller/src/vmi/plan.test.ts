import type { Condition, Pod, VirtualMachineInstance, VmiPhase } from '@yagura/api';
import { NOW, type PodState, podOf, vmiOf } from '../testing/objects.ts';
import { planVmi, type VmiWorld } from './plan.ts';

const world = (vmi: VirtualMachineInstance, pods: Pod[], changes: Partial<VmiWorld> = {}): VmiWorld => ({
  vmi,
  pods,
  now: NOW,
  podIsGone: false,
  nodeIsUnresponsive: false,
  endIsRecorded: true,
  launcherImage: 'launcher:1',
  volumes: { claims: new Map(), attachments: [] },
  ...changes,
});

type Expected = [after: VmiPhase, pod: 'create' | 'keep' | 'delete', reason?: string];

test.each<[from: VmiPhase | undefined, pod: PodState | 'none', changes: Partial<VmiWorld>, expected: Expected]>([
  [undefined, 'none', {}, ['Pending', 'create']],
  ['Pending', 'none', {}, ['Pending', 'create']],
  ['Pending', 'pending', {}, ['Scheduling', 'keep']],
  // A controller that was away sees the pod only when it is ready.
  ['Pending', 'up', {}, ['Scheduled', 'keep']],
  ['Scheduling', 'pulling', {}, ['Scheduling', 'keep']],
  ['Scheduling', 'starting', {}, ['Scheduling', 'keep']],
  ['Scheduling', 'pull-failed', {}, ['Scheduling', 'keep']],
  ['Scheduling', 'up', {}, ['Scheduled', 'keep']],
  ['Scheduling', 'refused', {}, ['Scheduling', 'create']],
  ['Scheduling', 'evicted-early', {}, ['Scheduling', 'create']],
  ['Scheduling', 'failed', {}, ['Failed', 'keep', 'LauncherPodFailed']],
  ['Scheduling', 'succeeded', {}, ['Failed', 'keep', 'LauncherPodFailed']],
  ['Scheduling', 'terminating', {}, ['Failed', 'keep', 'LauncherPodDeleted']],
  // The cache alone is no proof.
  ['Scheduling', 'none', {}, ['Scheduling', 'keep']],
  ['Scheduling', 'none', { podIsGone: true }, ['Failed', 'keep', 'LauncherPodGone']],
  ['Scheduled', 'up', {}, ['Scheduled', 'keep']],
  ['Scheduled', 'none', { podIsGone: true }, ['Failed', 'keep', 'LauncherPodGone']],
  ['Running', 'up', {}, ['Running', 'keep']],
  // How a guest ended is virt-handler's to say.
  ['Running', 'failed', {}, ['Running', 'keep']],
  ['Running', 'terminating', {}, ['Running', 'keep']],
  ['Running', 'none', {}, ['Running', 'keep']],
  ['Running', 'none', { podIsGone: true }, ['Failed', 'keep', 'LauncherPodGone']],
  // A node that is silent may run the guest all the same.
  ['Running', 'up', { nodeIsUnresponsive: true }, ['Running', 'keep']],
  ['Running', 'failed', { nodeIsUnresponsive: true }, ['Failed', 'keep', 'NodeUnresponsive']],
  ['Running', 'none', { nodeIsUnresponsive: true }, ['Running', 'keep']],
  ['Running', 'none', { nodeIsUnresponsive: true, podIsGone: true }, ['Failed', 'keep', 'NodeUnresponsive']],
  ['Succeeded', 'none', { podIsGone: true }, ['Succeeded', 'keep']],
  ['Failed', 'failed', {}, ['Failed', 'keep']],
])('%s with pod %s (%j) → %j', (from, state, changes, [after, action, reason]) => {
  const plan = planVmi(world(vmiOf(from), state === 'none' ? [] : [podOf(state)], changes));
  expect(plan.after.status?.phase).toBe(after);
  expect(plan.after.status?.reason).toBe(reason);
  expect(plan.createPod).toBe(action === 'create');
  expect(plan.deletePods).toEqual([]);
});

test.each<
  [
    from: VmiPhase,
    pod: PodState | 'none',
    changes: Partial<VmiWorld>,
    after: VmiPhase,
    deletes: boolean,
    finalizers: number,
  ]
>([
  ['Pending', 'none', {}, 'Failed', false, 0],
  ['Scheduling', 'failed', {}, 'Failed', true, 2],
  ['Scheduling', 'pulling', {}, 'Scheduling', true, 2],
  ['Scheduling', 'terminating', {}, 'Scheduling', false, 2],
  ['Scheduling', 'refused', {}, 'Scheduling', true, 2],
  ['Running', 'up', {}, 'Running', true, 2],
  ['Running', 'terminating', {}, 'Running', false, 2],
  ['Running', 'none', { podIsGone: true }, 'Failed', false, 0],
  ['Succeeded', 'succeeded', {}, 'Succeeded', true, 2],
  ['Succeeded', 'none', {}, 'Succeeded', false, 0],
  ['Failed', 'none', { endIsRecorded: false }, 'Failed', false, 1],
])('being deleted: %s with pod %s (%j) → %s', (from, state, changes, after, deletes, finalizers) => {
  const vmi = vmiOf(from, { deletionTimestamp: NOW });
  const plan = planVmi(world(vmi, state === 'none' ? [] : [podOf(state)], changes));
  expect(plan.after.status?.phase).toBe(after);
  expect(plan.deletePods).toHaveLength(deletes ? 1 : 0);
  expect(plan.after.metadata.finalizers).toHaveLength(finalizers);
  expect(plan.createPod).toBe(false);
  // What was asked for is no failure to warn of; a guest whose pod was lost while it was to be shut down is.
  expect(plan.failure?.reason).toBe(changes.podIsGone ? 'LauncherPodGone' : undefined);
});

test('a life takes two writes of ours until the guest runs, and the last state is its own fixed point', () => {
  const pending = vmiOf('Pending');
  const scheduling = planVmi(world(pending, [podOf('pending')])).after;
  expect(scheduling.status).toMatchObject({
    phase: 'Scheduling',
    activePods: { 'pod-uid': '' },
    qosClass: 'Burstable',
    memory: { memoryOverhead: '1000' },
  });
  for (const state of ['pending', 'pulling', 'starting'] as const) {
    expect(planVmi(world(scheduling, [podOf(state)])).after).toEqual(scheduling);
  }
  const scheduled = planVmi(world(scheduling, [podOf('up')])).after;
  expect(scheduled.metadata.labels).toEqual({ 'kubevirt.io/nodeName': 'node-1' });
  expect(scheduled.status).toMatchObject({
    phase: 'Scheduled',
    nodeName: 'node-1',
    activePods: { 'pod-uid': 'node-1' },
    launcherContainerImageVersion: 'launcher:1',
    migrationTransport: 'Unix',
    volumeStatus: [{ name: 'root', target: '' }],
    conditions: [{ type: 'Ready', status: 'False', reason: 'GuestNotRunning' }],
    phaseTransitionTimestamps: [{ phase: 'Pending' }, { phase: 'Scheduling' }, { phase: 'Scheduled' }],
  });
  expect(planVmi(world(scheduled, [podOf('up')])).after).toEqual(scheduled);
});

test('an instance is provisioning while a DataVolume that its pod is the first consumer of has no volume', () => {
  const vmi = vmiOf('Pending');
  vmi.spec.volumes = [{ name: 'root', dataVolume: { name: 'dv' } }];
  const claims = (phase: 'Pending' | 'Bound') => new Map([['dv', { metadata: { name: 'dv' }, status: { phase } }]]);
  const view = (phase: 'Pending' | 'Bound') => ({ volumes: { claims: claims(phase), attachments: [] } });
  const provisioning = ({ status }: VirtualMachineInstance) =>
    status?.conditions?.filter(({ type }) => type === 'Provisioning').map(({ status: value }) => value);
  const waiting = planVmi(world(vmi, [podOf('pending')], view('Pending'))).after;
  expect(provisioning(waiting)).toEqual(['True']);
  expect(provisioning(planVmi(world(waiting, [podOf('pulling')], view('Bound'))).after)).toEqual([]);
});

test('a plugged volume whose pod cannot be made is told as FailedHotplugSync, until it can', () => {
  const hotplugTrouble = { reason: 'FailedHotplugSync', message: 'no quota' };
  const synchronized = ({ status }: VirtualMachineInstance) =>
    status?.conditions?.find(({ type }) => type === 'Synchronized');
  const refused = planVmi(world(vmiOf('Running'), [podOf('up')], { hotplugTrouble })).after;
  expect(synchronized(refused)).toMatchObject({ status: 'False', ...hotplugTrouble });
  expect(synchronized(planVmi(world(refused, [podOf('up')])).after)).toBeUndefined();
});

test('Ready follows the pod once the guest runs', () => {
  const [running] = [planVmi(world(vmiOf('Running'), [podOf('up')])).after];
  expect(running?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
});

test('a paused guest is not ready, even before the kubelet has seen the gate shut', () => {
  const paused = vmiOf('Running');
  paused.status = { ...paused.status, conditions: [{ type: 'Paused', status: 'True', reason: 'PausedByUser' }] };
  expect(planVmi(world(paused, [podOf('up')])).after.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }),
  );
});

test('a guest that ended is not ready any more', () => {
  const ended = vmiOf('Succeeded');
  ended.status = { ...ended.status, conditions: [{ type: 'Ready', status: 'True' }] };
  const after = planVmi(world(ended, [podOf('succeeded')])).after;
  expect(after.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'GuestNotRunning' }]);
});

test('an image that cannot be pulled is named by its volume, and the kubelet changing its words is no write', () => {
  const scheduling = planVmi(world(vmiOf('Pending'), [podOf('pending')])).after;
  const failed = planVmi(world(scheduling, [podOf('pull-failed')])).after;
  const synchronized = () => failed.status?.conditions?.find(({ type }) => type === 'Synchronized');
  expect(synchronized()).toMatchObject({
    status: 'False',
    reason: 'ErrImagePull',
    message: 'image "example.org/guest:1" of volume "root" cannot be pulled: not found',
  });
  const again = (reason: string) => {
    const pod = podOf('pull-failed');
    const waiting = pod.status?.containerStatuses?.[1]?.state?.waiting;
    if (waiting)
      Object.assign(waiting, { reason, message: `Back-off pulling image "example.org/guest:1": attempt ${reason}` });
    return pod;
  };
  const backOff = planVmi(world(failed, [again('ImagePullBackOff')])).after;
  expect(backOff.status?.conditions).toContainEqual(expect.objectContaining({ reason: 'ImagePullBackOff' }));
  expect(planVmi(world(backOff, [again('ErrImagePull')])).after).toEqual(backOff);
  const pulled = planVmi(world(backOff, [podOf('starting')])).after;
  expect(pulled.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
});

test('a pod that finds no node is told as the pod tells it, and no longer once it is bound', () => {
  const stuck = planVmi(world(vmiOf('Pending'), [podOf('unschedulable')])).after;
  expect(stuck.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'PodScheduled', reason: 'Unschedulable' }),
  );
  const bound = planVmi(world(stuck, [podOf('pulling')])).after;
  expect(bound.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
});

test('what virt-handler says about synchronisation is not ours to remove', () => {
  const running = vmiOf('Running');
  const reason = 'Synchronizing with the Domain failed.';
  running.status = { ...running.status, conditions: [{ type: 'Synchronized', status: 'False', reason }] };
  expect(planVmi(world(running, [podOf('up')])).after.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Synchronized', reason }),
  );
});

test('Ready names the container and what keeps it from being ready', () => {
  const pod = podOf('up');
  const status = {
    type: 'Ready',
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [volumeroot]',
  };
  const volume = {
    name: 'volumeroot',
    ready: false,
    restartCount: 0,
    image: '',
    imageID: '',
    state: { terminated: { exitCode: 137 } },
  };
  pod.status = { ...pod.status, conditions: [status as Condition], containerStatuses: [volume] };
  const ready = planVmi(world(vmiOf('Running'), [pod])).after.status?.conditions?.[0];
  expect(ready).toMatchObject({
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [volumeroot]: container volumeroot ended with exit code 137',
  });
});

test('a launcher that is not of the installed image is labelled, and no longer once it is', () => {
  const label = 'kubevirt.io/outdatedLauncherImage';
  const outdated = planVmi(world(vmiOf('Running'), [podOf('up')], { launcherImage: 'launcher:2' })).after;
  expect(outdated.metadata.labels).toMatchObject({ [label]: '' });
  expect(outdated.status?.launcherContainerImageVersion).toBe('launcher:1');
  expect(planVmi(world(outdated, [podOf('up')], { launcherImage: 'launcher:2' })).after).toEqual(outdated);
  expect(planVmi(world(outdated, [podOf('up')])).after.metadata.labels).not.toHaveProperty([label]);
  const ended = { ...outdated, status: { ...outdated.status, phase: 'Failed' as const } };
  const after = planVmi(world(ended, [podOf('failed')], { launcherImage: 'launcher:2' })).after;
  expect(after.metadata.labels).not.toHaveProperty([label]);
  expect(after.status?.launcherContainerImageVersion).toBeUndefined();
});

test('CPUs that were promised and are not guaranteed fail the instance', () => {
  const vmi = vmiOf('Scheduling');
  vmi.spec.domain.cpu = { dedicatedCpuPlacement: true };
  const plan = planVmi(world(vmi, [podOf('starting')]));
  expect(plan.after.status).toMatchObject({ phase: 'Failed', reason: 'FailedGuaranteeResources' });
  expect(plan.failure?.reason).toBe('FailedGuaranteeResources');
  const guaranteed = podOf('starting');
  guaranteed.status = { ...guaranteed.status, qosClass: 'Guaranteed' };
  expect(planVmi(world(vmi, [guaranteed])).after.status?.phase).toBe('Scheduling');
});
