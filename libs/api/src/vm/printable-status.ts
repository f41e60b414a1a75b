import { REASONS, VMI_CONDITIONS } from '../condition-types.ts';
import { findCondition, isConditionTrue } from '../conditions.ts';
import { isFinal, isRunning } from '../phases.ts';
import type { PrintableStatus, RunStrategy, VirtualMachine, VirtualMachineInstance } from '../types.ts';
import { runStrategyOf } from './run-strategy.ts';

/** What the status of a virtual machine is derived from. */
export interface PrintableFacts {
  vm: VirtualMachine;
  /** Its instance; undefined when there is none. */
  vmi: VirtualMachineInstance | undefined;
  /** Whether the controller is about to create an instance, now and not after a back-off. */
  startExpected: boolean;
  /** Whether it is about to end the one there is. */
  stopExpected: boolean;
  now: Date;
  /** State of the data volumes the template refers to, if there are any. */
  dataVolumes?: 'provisioning' | 'error' | 'ready';
  /** Whether a claim the template refers to is not bound. */
  claimsUnbound?: boolean;
}

type Rule = [PrintableStatus, (facts: PrintableFacts) => boolean];

const RETRIED: readonly RunStrategy[] = ['Always', 'RerunOnFailure', 'Once'];

/** From the top: the first that holds is the status. */
const RULES: readonly Rule[] = [
  ['Terminating', ({ vm }) => vm.metadata.deletionTimestamp !== undefined],
  [
    'Stopping',
    ({ vmi, stopExpected }) => isLive(vmi) && (stopExpected || vmi.metadata.deletionTimestamp !== undefined),
  ],
  ['Migrating', ({ vmi, now }) => isLive(vmi) && isMigrating(vmi, now)],
  // Of a guest on a lost node nobody knows whether it runs.
  ['Unknown', ({ vmi }) => isLive(vmi) && isFalse(vmi, VMI_CONDITIONS.ready, REASONS.nodeUnresponsive)],
  ['Paused', ({ vmi }) => vmi !== undefined && isRunning(vmi) && isConditionTrue(vmi, VMI_CONDITIONS.paused)],
  ['Running', ({ vmi }) => vmi !== undefined && isRunning(vmi)],
  ['ErrorPvcNotFound', ({ vmi }) => isOutOfSync(vmi, REASONS.failedPvcNotFound)],
  ['DataVolumeError', ({ dataVolumes }) => dataVolumes === 'error'],
  ['ErrorUnschedulable', ({ vmi }) => isFalse(vmi, VMI_CONDITIONS.podScheduled, REASONS.unschedulable)],
  ['Provisioning', ({ dataVolumes }) => dataVolumes === 'provisioning'],
  ['WaitingForVolumeBinding', (facts) => facts.claimsUnbound === true && (facts.startExpected || isLive(facts.vmi))],
  ['ErrImagePull', ({ vmi }) => isOutOfSync(vmi, REASONS.errImagePull)],
  ['ImagePullBackOff', ({ vmi }) => isOutOfSync(vmi, REASONS.imagePullBackOff)],
  ['Starting', ({ vmi, startExpected }) => (vmi === undefined ? startExpected : isStarting(vmi))],
  ['CrashLoopBackOff', isBackingOff],
  ['Stopped', ({ vmi, startExpected }) => (vmi === undefined ? !startExpected : isFinal(vmi))],
  ['WaitingForReceiver', ({ vmi }) => vmi?.status?.phase === 'WaitingForSync'],
];

/** The one word that tells how a virtual machine is. */
export function printableStatus(facts: PrintableFacts): PrintableStatus {
  return RULES.find(([, holds]) => holds(facts))?.[0] ?? 'Unknown';
}

function isLive(vmi: VirtualMachineInstance | undefined): vmi is VirtualMachineInstance {
  return vmi !== undefined && !isFinal(vmi);
}

function isMigrating(vmi: VirtualMachineInstance, now: Date): boolean {
  const { startTimestamp, endTimestamp } = vmi.status?.migrationState ?? {};
  const passed = (time: string | null | undefined) => Boolean(time) && Date.parse(time ?? '') <= now.getTime();
  return passed(startTimestamp) && !passed(endTimestamp);
}

function isFalse(vmi: VirtualMachineInstance | undefined, type: string, reason: string): boolean {
  const condition = vmi && findCondition(vmi, type);
  return condition?.status === 'False' && condition.reason === reason;
}

function isOutOfSync(vmi: VirtualMachineInstance | undefined, reason: string): boolean {
  return isFalse(vmi, VMI_CONDITIONS.synchronized, reason);
}

function isStarting(vmi: VirtualMachineInstance): boolean {
  return ['', 'Pending', 'Scheduling', 'Scheduled'].includes(vmi.status?.phase ?? '');
}

function isBackingOff({ vm, vmi, startExpected }: PrintableFacts): boolean {
  const failures = vm.status?.startFailure?.consecutiveFailCount ?? 0;
  return !isLive(vmi) && !startExpected && failures > 0 && RETRIED.includes(runStrategyOf(vm));
}
