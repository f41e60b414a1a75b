import type { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceStatus } from '../types.ts';
import { type PrintableFacts, printableStatus } from './printable-status.ts';

const NOW = new Date('2026-01-01T00:10:00Z');
const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-01-01T00:20:00Z';

const vm = (over: Partial<VirtualMachine['spec']> = {}, status?: VirtualMachine['status']): VirtualMachine => ({
  metadata: { name: 'demo' },
  spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } }, ...over },
  ...(status ? { status } : {}),
});
const deleting = (): VirtualMachine => ({ ...vm(), metadata: { name: 'demo', deletionTimestamp: BEFORE } });
const vmi = (status: VirtualMachineInstanceStatus, deletionTimestamp?: string): VirtualMachineInstance => ({
  metadata: { name: 'demo', ...(deletionTimestamp ? { deletionTimestamp } : {}) },
  spec: { domain: { devices: {} } },
  status,
});
const paused = [{ type: 'Paused', status: 'True' as const }];
const outOfSync = (reason: string) => [{ type: 'Synchronized', status: 'False' as const, reason }];
const unschedulable = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }];
const lostNode = [{ type: 'Ready', status: 'False' as const, reason: 'NodeUnresponsive' }];
const failed = { startFailure: { consecutiveFailCount: 2 } };

test.each<[string, Partial<PrintableFacts>]>([
  ['Terminating', { vm: deleting(), vmi: vmi({ phase: 'Running' }) }],
  ['Stopping', { vmi: vmi({ phase: 'Running' }), stopExpected: true }],
  ['Stopping', { vmi: vmi({ phase: 'Running' }, BEFORE) }],
  ['Migrating', { vmi: vmi({ phase: 'Running', conditions: paused, migrationState: { startTimestamp: BEFORE } }) }],
  ['Migrating', { vmi: vmi({ phase: 'Running', migrationState: { startTimestamp: BEFORE, endTimestamp: AFTER } }) }],
  ['Running', { vmi: vmi({ phase: 'Running', migrationState: { startTimestamp: BEFORE, endTimestamp: BEFORE } }) }],
  ['Running', { vmi: vmi({ phase: 'Running', migrationState: { startTimestamp: null, endTimestamp: null } }) }],
  ['Paused', { vmi: vmi({ phase: 'Running', conditions: paused }) }],
  ['Running', { vmi: vmi({ phase: 'Running', conditions: outOfSync('ErrImagePull') }) }],
  ['ErrorPvcNotFound', { vmi: vmi({ phase: 'Pending', conditions: outOfSync('FailedPvcNotFound') }) }],
  ['DataVolumeError', { startExpected: true, dataVolumes: 'error' }],
  ['ErrorUnschedulable', { vmi: vmi({ phase: 'Scheduling', conditions: unschedulable }) }],
  ['Provisioning', { startExpected: true, dataVolumes: 'provisioning' }],
  ['WaitingForVolumeBinding', { startExpected: true, claimsUnbound: true }],
  ['Stopped', { claimsUnbound: true }],
  ['ErrImagePull', { vmi: vmi({ phase: 'Scheduling', conditions: outOfSync('ErrImagePull') }) }],
  ['ImagePullBackOff', { vmi: vmi({ phase: 'Scheduling', conditions: outOfSync('ImagePullBackOff') }) }],
  ['Starting', { startExpected: true }],
  ['Starting', { vmi: vmi({}) }],
  ['Starting', { vmi: vmi({ phase: 'Scheduled' }) }],
  ['CrashLoopBackOff', { vm: vm({}, failed) }],
  ['CrashLoopBackOff', { vm: vm({}, failed), vmi: vmi({ phase: 'Failed' }) }],
  ['Starting', { vm: vm({}, failed), startExpected: true }],
  ['Stopped', { vm: vm({ runStrategy: 'Manual' }, failed) }],
  ['Stopped', { vm: vm({ runStrategy: 'Halted' }) }],
  ['Stopped', { vmi: vmi({ phase: 'Succeeded' }) }],
  ['Stopped', { vmi: vmi({ phase: 'Failed' }, BEFORE) }],
  ['WaitingForReceiver', { vmi: vmi({ phase: 'WaitingForSync' }) }],
  ['Unknown', { vmi: vmi({ phase: 'Unknown' }) }],
  ['Unknown', { vmi: vmi({ phase: 'Running', conditions: lostNode }) }],
  ['Stopping', { vmi: vmi({ phase: 'Running', conditions: lostNode }), stopExpected: true }],
])('%s', (status, facts) => {
  const rest = { vm: vm(), vmi: undefined, startExpected: false, stopExpected: false, now: NOW };
  expect(printableStatus({ ...rest, ...facts })).toBe(status);
});
