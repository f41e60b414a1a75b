import {
  type Condition,
  findCondition,
  isConditionTrue,
  isRunning,
  type NewCondition,
  POD_UNPAUSED_CONDITION,
  type Pod,
  REASONS,
  removeCondition,
  setCondition,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import type { NodeLoss } from '../nodes/node-loss.ts';
import { containerTrouble, type Trouble } from './image-pull.ts';
import { unreadyContainers } from './readiness.ts';

const SYNC_REASONS_OF_HANDLER: string[] = [REASONS.syncFailed];

/** What the kubelet will say once it has seen the gate shut. */
const PAUSED = {
  reason: 'ReadinessGatesNotReady',
  message: `the status of pod readiness gate "${POD_UNPAUSED_CONDITION}" is not "True", but False`,
};

/** Ready of the instance: that of its pod while the guest runs. */
export function readyCondition(vmi: VirtualMachineInstance, pod: Pod | undefined, nodeLoss?: NodeLoss): NewCondition {
  const type = VMI_CONDITIONS.ready;
  // What was last said about a pod on a lost node is no news.
  if (nodeLoss) return { type, status: 'False', messageChange: 'update', ...nodeLoss };
  if (!pod) return { type, status: 'False', reason: REASONS.podNotExists, message: 'there is no launcher pod' };
  if (pod.metadata.deletionTimestamp) {
    return { type, status: 'False', reason: REASONS.podTerminating, message: 'the launcher pod is being deleted' };
  }
  if (!isRunning(vmi))
    return { type, status: 'False', reason: REASONS.guestNotRunning, message: 'the guest does not run' };
  if (isConditionTrue(vmi, VMI_CONDITIONS.paused)) return { type, status: 'False', ...PAUSED };
  const ready = findCondition(pod, 'Ready');
  if (!ready) {
    return {
      type,
      status: 'False',
      reason: REASONS.podConditionMissing,
      message: 'the launcher pod has no Ready condition',
    };
  }
  const { status, reason } = ready;
  if (status !== 'False') return { type, status, reason, message: ready.message };
  // The kubelet names containers at best; what is wrong with them stands elsewhere in the pod's status.
  const message = [ready.message, unreadyContainers(pod)].filter(Boolean).join(': ');
  return { type, status, reason, message, messageChange: 'update' };
}

/** Provisioning, which is there for as long as it is so. */
export function withProvisioning(conditions: Condition[], provisioning: boolean, now: string): Condition[] {
  const type = VMI_CONDITIONS.provisioning;
  return provisioning ? setCondition(conditions, { type, status: 'True' }, now) : removeCondition(conditions, type);
}

/** The conditions that are virt-controller's, on top of those of others. */
export function withConditions(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  { trouble: failedCreate, nodeLoss }: { trouble: Trouble | undefined; nodeLoss: NodeLoss | undefined },
  now: string,
): Condition[] {
  let conditions = setCondition(vmi.status?.conditions, readyCondition(vmi, pod, nodeLoss), now);
  const scheduled = pod && findCondition(pod, VMI_CONDITIONS.podScheduled);
  conditions =
    scheduled?.status === 'False'
      ? setCondition(conditions, { ...scheduled, type: VMI_CONDITIONS.podScheduled }, now)
      : removeCondition(conditions, VMI_CONDITIONS.podScheduled);

  const synchronized = findCondition(vmi, VMI_CONDITIONS.synchronized);
  const trouble = failedCreate ?? (pod && containerTrouble(vmi, pod, synchronized?.reason));
  if (trouble) {
    const wanted: NewCondition = {
      type: VMI_CONDITIONS.synchronized,
      status: 'False',
      messageChange: 'update',
      ...trouble,
    };
    // The same trouble in other words (a digest, a request number) is no news.
    if (synchronized?.reason === trouble.reason && trouble.reason === REASONS.imagePullBackOff) return conditions;
    return setCondition(conditions, wanted, now);
  }
  const handlers = SYNC_REASONS_OF_HANDLER.includes(synchronized?.reason ?? '');
  return handlers ? conditions : removeCondition(conditions, VMI_CONDITIONS.synchronized);
}
