import {
  findCondition,
  type RunStrategy,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
  type VmiPhase,
} from '@yagura/api';
import { NOW, NOW_MS, vmiOf, vmOf } from '../testing/objects.ts';
import { decide } from './decide.ts';
import { planVm } from './plan.ts';
import { pendingRequests } from './requests.ts';
import { backoffSeconds, isEndRecorded } from './start-failure.ts';
import type { StorageFacts } from './storage.ts';

const start: StateChangeRequest = { action: 'Start' };
const startPaused: StateChangeRequest = { action: 'Start', data: { paused: 'true' } };
const stop: StateChangeRequest = { action: 'Stop', uid: 'vmi-uid' };

test.each<[RunStrategy, VmiPhase | 'none', StateChangeRequest[], string]>([
  ['Always', 'none', [], 'create'],
  ['Always', 'Running', [], 'nothing'],
  ['Always', 'Succeeded', [], 'delete'],
  ['Always', 'Failed', [], 'delete'],
  ['Always', 'Running', [stop, start], 'delete'],
  ['Always', 'none', [startPaused], 'create paused'],
  ['RerunOnFailure', 'none', [], 'create'],
  ['RerunOnFailure', 'Succeeded', [], 'delete'],
  ['RerunOnFailure', 'Failed', [], 'delete and restart'],
  ['RerunOnFailure', 'Running', [stop], 'delete'],
  ['Manual', 'none', [], 'nothing'],
  ['Manual', 'none', [start], 'create'],
  ['Manual', 'none', [startPaused], 'create paused'],
  ['Manual', 'Running', [stop], 'delete'],
  ['Manual', 'Succeeded', [], 'nothing'],
  ['Manual', 'Failed', [stop, start], 'delete'],
  ['Once', 'none', [], 'create'],
  ['Once', 'Failed', [], 'nothing'],
  ['Halted', 'none', [], 'nothing'],
  ['Halted', 'none', [start], 'nothing'],
  ['Halted', 'none', [startPaused], 'switch-on'],
  ['Halted', 'Running', [], 'delete'],
  ['Halted', 'Succeeded', [], 'delete'],
  ['WaitAsReceiver', 'none', [], 'nothing'],
])('%s, instance %s, requests %j → %s', (strategy, phase, requests, expected) => {
  const vmi = phase === 'none' ? undefined : vmiOf(phase);
  const decision = decide(vmOf(strategy), vmi, requests);
  const extra =
    'paused' in decision && decision.paused
      ? ' paused'
      : 'restart' in decision && decision.restart
        ? ' and restart'
        : '';
  expect(decision.kind + extra).toBe(expected);
});

test('RerunOnFailure that has run does not come back by itself', () => {
  expect(decide(vmOf('RerunOnFailure', { runStrategy: 'RerunOnFailure' }), undefined, []).kind).toBe('nothing');
  expect(decide(vmOf('RerunOnFailure', { runStrategy: 'RerunOnFailure' }), undefined, [start]).kind).toBe('create');
});

test('a virtual machine that goes takes its instance along, and goes when that is gone', () => {
  const vm = vmOf('Always');
  vm.metadata.deletionTimestamp = NOW;
  const plan = (vmi?: VirtualMachineInstance) => planVm({ vm, vmi, nowMs: NOW_MS, random: 0 });
  expect(plan(vmiOf('Running')).decision.kind).toBe('delete');
  expect(plan(vmiOf('Running')).object).toBe(vm);
  expect(plan(vmiOf('Running', { deletionTimestamp: NOW })).decision.kind).toBe('nothing');
  expect(plan().object.metadata.finalizers).toEqual([]);
});

test('a virtual machine deleted with orphans leaves its instance alone', () => {
  const vm = vmOf('Always');
  vm.metadata.deletionTimestamp = NOW;
  vm.metadata.finalizers = ['orphan', 'kubevirt.io/virtualMachineControllerFinalize'];
  const plan = planVm({ vm, vmi: vmiOf('Running'), nowMs: NOW_MS, random: 0 });
  expect(plan.decision.kind).toBe('nothing');
  expect(plan.object.metadata.finalizers).toEqual(['orphan']);
});

test.each<[string, StateChangeRequest[], VirtualMachineInstance | undefined, string[]]>([
  ['a stop for this instance stays', [stop], vmiOf('Running'), ['Stop']],
  ['a stop for an earlier instance is done', [{ action: 'Stop', uid: 'other' }], vmiOf('Running'), []],
  ['a stop without an instance is done', [stop], undefined, []],
  ['the start of a restart waits for its stop', [stop, start], vmiOf('Running'), ['Stop', 'Start']],
  ['a restart goes on with its start', [stop, start], undefined, ['Start']],
  ['a start is done when an instance lives', [start], vmiOf('Pending'), []],
  ['a start waits for a final instance to go', [stop, start], vmiOf('Failed'), ['Stop', 'Start']],
  ['a start waits for an instance being deleted', [start], vmiOf('Running', { deletionTimestamp: NOW }), ['Start']],
])('%s', (_what, requests, vmi, left) => {
  expect(pendingRequests(requests, vmi).map(({ action }) => action)).toEqual(left);
});

test('delays between failed starts grow with the square and end at five minutes', () => {
  expect([1, 2, 3, 4, 5, 6].map((count) => backoffSeconds(count, 0))).toEqual([10, 40, 90, 160, 250, 300]);
  expect(backoffSeconds(1, 0.999)).toBe(14);
});

test('a start that fails before the guest runs is counted once, held back, and shown as a crash loop', () => {
  const vm = vmOf('Always', { runStrategy: 'Always' });
  const failed = planVm({ vm, vmi: vmiOf('Failed'), nowMs: NOW_MS, random: 0 });
  expect(failed.decision.kind).toBe('delete');
  expect(failed.status.startFailure).toEqual({
    consecutiveFailCount: 1,
    lastFailedVMIUID: 'vmi-uid',
    retryAfterTimestamp: '2026-01-01T00:00:10Z',
  });
  const recorded = { ...vm, status: failed.status };
  expect(isEndRecorded(vm, vmiOf('Failed'))).toBe(false);
  expect(isEndRecorded(recorded, vmiOf('Failed'))).toBe(true);
  const again = planVm({ vm: recorded, vmi: vmiOf('Failed'), nowMs: NOW_MS + 1000, random: 0 });
  expect(again.status.startFailure).toEqual(failed.status.startFailure);

  const waiting = planVm({ vm: recorded, vmi: undefined, nowMs: NOW_MS + 1000, random: 0 });
  expect(waiting).toMatchObject({
    decision: { kind: 'nothing' },
    waitMs: 9000,
    status: { printableStatus: 'CrashLoopBackOff' },
  });
  const due = planVm({ vm: recorded, vmi: undefined, nowMs: NOW_MS + 10_000, random: 0 });
  expect(due.decision.kind).toBe('create');
});

test('a restart is one instance after the other, and leaves no request behind', () => {
  const requested = vmOf('Manual', { stateChangeRequests: [stop, start] });
  const stopping = planVm({ vm: requested, vmi: vmiOf('Running'), nowMs: NOW_MS, random: 0 });
  expect(stopping.decision.kind).toBe('delete');
  const gone = planVm({ vm: { ...requested, status: stopping.status }, vmi: undefined, nowMs: NOW_MS, random: 0 });
  expect(gone.decision.kind).toBe('create');
  const next = vmiOf('Pending', { uid: 'next' });
  const started = planVm({ vm: { ...requested, status: gone.status }, vmi: next, nowMs: NOW_MS, random: 0 });
  expect([started.decision.kind, started.status.stateChangeRequests]).toEqual(['nothing', undefined]);
});

test('a start that was still to come is over once the machine is to be off', () => {
  const vm = vmOf('Halted', { stateChangeRequests: [stop, start] });
  const stopping = planVm({ vm, vmi: vmiOf('Running'), nowMs: NOW_MS, random: 0 });
  expect([stopping.decision.kind, stopping.status.stateChangeRequests]).toEqual(['delete', [stop]]);
  const off = planVm({ vm, vmi: undefined, nowMs: NOW_MS, random: 0 });
  const manual = planVm({ vm: { ...vmOf('Manual'), status: off.status }, vmi: undefined, nowMs: NOW_MS, random: 0 });
  expect([off.status.stateChangeRequests, manual.decision.kind]).toEqual([undefined, 'nothing']);
});

test('a guest whose whole life nobody recorded is not started once more', () => {
  const vm = vmOf('RerunOnFailure');
  const ended = planVm({ vm, vmi: vmiOf('Succeeded'), nowMs: NOW_MS, random: 0 });
  expect([ended.decision.kind, ended.status.runStrategy]).toEqual(['delete', 'RerunOnFailure']);
  const gone = planVm({ vm: { ...vm, status: ended.status }, vmi: undefined, nowMs: NOW_MS, random: 0 });
  expect(gone.decision.kind).toBe('nothing');
});

test('a guest that ran clears the count', () => {
  const vm = vmOf('Always', {
    startFailure: { consecutiveFailCount: 3, lastFailedVMIUID: 'x', retryAfterTimestamp: NOW },
  });
  expect(planVm({ vm, vmi: vmiOf('Running'), nowMs: NOW_MS, random: 0 }).status.startFailure).toBeUndefined();
});

test('another run strategy begins at nought, and at once', () => {
  const startFailure = { consecutiveFailCount: 3, lastFailedVMIUID: 'x', retryAfterTimestamp: '2026-01-01T00:05:00Z' };
  const vm = vmOf('Once', { runStrategy: 'Always', startFailure });
  const plan = planVm({ vm, vmi: undefined, nowMs: NOW_MS, random: 0 });
  expect(plan.decision.kind).toBe('create');
  expect(plan.status.startFailure).toBeUndefined();
  const next = planVm({ vm, vmi: vmiOf('Failed'), nowMs: NOW_MS, random: 0 });
  expect(next.status.startFailure).toMatchObject({ consecutiveFailCount: 1, lastFailedVMIUID: 'vmi-uid' });
  const again = { ...vm, status: next.status };
  expect(planVm({ vm: again, vmi: vmiOf('Failed'), nowMs: NOW_MS + 1000, random: 0 }).status).toBe(next.status);
});

test.each<[RunStrategy, VmiPhase | undefined, RunStrategy | undefined]>([
  ['Always', undefined, 'Once'],
  ['Always', 'Pending', 'Always'],
  ['RerunOnFailure', 'Succeeded', 'Once'],
  ['RerunOnFailure', 'Running', 'RerunOnFailure'],
  ['Halted', undefined, 'Halted'],
  ['Manual', undefined, 'Manual'],
])('%s with an instance %s is recorded as %s', (strategy, phase, recorded) => {
  const vm = vmOf(strategy, { runStrategy: 'Once' });
  const vmi = phase && vmiOf(phase);
  expect(planVm({ vm, vmi, nowMs: NOW_MS, random: 0 }).status.runStrategy).toBe(recorded);
});

test.each<[string, Partial<StorageFacts>, string, string]>([
  ['is being filled', { dataVolumes: 'provisioning', mayStart: false }, 'nothing', 'Provisioning'],
  ['cannot be filled', { dataVolumes: 'error', mayStart: false }, 'nothing', 'DataVolumeError'],
  ['is filled', { dataVolumes: 'ready' }, 'create', 'Starting'],
  ['waits for its first consumer', { dataVolumes: 'ready', claimsUnbound: true }, 'create', 'WaitingForVolumeBinding'],
])('a volume that %s', (_what, facts, decision, printed) => {
  const storage = { claimsUnbound: false, mayStart: true, ...facts };
  const plan = planVm({ vm: vmOf('Always'), vmi: undefined, nowMs: NOW_MS, random: 0, storage });
  expect([plan.decision.kind, plan.status.printableStatus]).toEqual([decision, printed]);
});

test('a stopped machine waits for no volume', () => {
  const storage = { claimsUnbound: true, mayStart: true };
  for (const strategy of ['Halted', 'Manual'] as const) {
    const plan = planVm({ vm: vmOf(strategy), vmi: undefined, nowMs: NOW_MS, random: 0, storage });
    expect(plan.status.printableStatus).toBe('Stopped');
  }
});

test('changes that wait for a restart are named, stay while nobody knows better, and end with the run', () => {
  const conditionsOf = (vm: VirtualMachine, vmi: VirtualMachineInstance, restartFor?: string[]) =>
    planVm({ vm, vmi, nowMs: NOW_MS, random: 0, restartFor }).status;
  const vm = vmOf('Always');
  const waiting = conditionsOf(vm, vmiOf('Running'), ['domain.cpu.cores']);
  expect(findCondition({ status: waiting }, 'RestartRequired')).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/non-live-updatable.*domain\.cpu\.cores/),
  });
  const known = { ...vm, status: waiting };
  const stays = (status: VirtualMachineStatus) => findCondition({ status }, 'RestartRequired') !== undefined;
  expect(stays(conditionsOf(known, vmiOf('Running')))).toBe(true);
  expect(stays(conditionsOf(known, vmiOf('Running'), []))).toBe(false);
  expect(stays(conditionsOf(known, vmiOf('Running', { deletionTimestamp: NOW })))).toBe(false);
  expect(stays(conditionsOf({ ...known, spec: vmOf('Manual').spec }, vmiOf('Failed')))).toBe(false);
});

test('the status mirrors the instance and is written only for news', () => {
  const vm = vmOf('Always');
  const pending = vmiOf('Pending', { annotations: { 'kubevirt.io/vm-generation': '3' } });
  const starting = planVm({ vm, vmi: pending, nowMs: NOW_MS, random: 0 }).status;
  expect(starting).toMatchObject({
    created: true,
    printableStatus: 'Starting',
    runStrategy: 'Always',
    observedGeneration: 3,
    desiredGeneration: 3,
    conditions: [{ type: 'Ready', status: 'False', reason: 'VMIConditionMissing' }],
  });
  const known = { ...vm, status: starting };
  const unready = {
    ...pending,
    status: { ...pending.status, conditions: [{ type: 'Ready', status: 'False' as const, reason: 'GuestNotRunning' }] },
  };
  // Unready for another reason: not worth a write.
  expect(planVm({ vm: known, vmi: unready, nowMs: NOW_MS, random: 0 }).status).toBe(starting);

  const running = vmiOf('Running');
  running.status = {
    ...running.status,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'AgentConnected', status: 'True' },
    ],
  };
  const ready = planVm({ vm: known, vmi: running, nowMs: NOW_MS, random: 0 }).status;
  expect(ready).toMatchObject({ ready: true, printableStatus: 'Running' });
  expect(ready.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Ready=True',
    'AgentConnected=True',
  ]);

  const stopped = planVm({ vm: { ...vmOf('Halted'), status: ready }, vmi: undefined, nowMs: NOW_MS, random: 0 }).status;
  expect(stopped).toMatchObject({
    printableStatus: 'Stopped',
    conditions: [{ type: 'Ready', status: 'False', reason: 'VMINotExists' }],
  });
  expect(stopped.created).toBeUndefined();
  expect(stopped.ready).toBeUndefined();
});

test('a stop is one write before the instance goes and one when it is gone', () => {
  const running = vmiOf('Running');
  running.status = { ...running.status, conditions: [{ type: 'Ready', status: 'True' }] };
  const vm = vmOf('Halted');
  const stopping = planVm({ vm, vmi: running, nowMs: NOW_MS, random: 0 });
  expect(stopping).toMatchObject({ decision: { kind: 'delete' }, status: { printableStatus: 'Stopping' } });
  expect(stopping.status.ready).toBeUndefined();
  const deleted = { ...running, metadata: { ...running.metadata, deletionTimestamp: NOW } };
  const after = planVm({ vm: { ...vm, status: stopping.status }, vmi: deleted, nowMs: NOW_MS, random: 0 });
  expect(after.status).toBe(stopping.status);
});

test('what fails in a pass is a condition, and goes with the next good pass', () => {
  const failure = { reason: 'FailedCreate', message: 'quota' };
  const vm = vmOf('Always');
  const failed = planVm({ vm, vmi: undefined, nowMs: NOW_MS, random: 0, failure }).status;
  expect(failed.conditions).toContainEqual(expect.objectContaining({ type: 'Failure', status: 'True', ...failure }));
  const after = planVm({ vm: { ...vm, status: failed }, vmi: vmiOf('Pending'), nowMs: NOW_MS, random: 0 }).status;
  expect(after.conditions?.map(({ type }) => type)).toEqual(['Ready']);
});
