import {
  type Condition,
  findCondition,
  isConditionTrue,
  isFinal,
  POD_UNPAUSED_CONDITION,
  type Pod,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import { isAlive } from './pods.ts';

/** What the readiness gate of the pod should say, when it does not yet. */
export function gateChange(vmi: VirtualMachineInstance, pod: Pod | undefined, now: string): Condition | undefined {
  if (!pod || !isAlive(pod) || isFinal(vmi)) return undefined;
  const paused = isConditionTrue(vmi, VMI_CONDITIONS.paused);
  const status = paused ? 'False' : 'True';
  if (findCondition(pod, POD_UNPAUSED_CONDITION)?.status === status) return undefined;
  return {
    type: POD_UNPAUSED_CONDITION,
    status,
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: paused ? 'Paused' : 'NotPaused',
  };
}
