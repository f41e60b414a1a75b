import {
  type Condition,
  findCondition,
  type NewCondition,
  REASONS,
  setCondition,
  type VirtualMachine,
  type VirtualMachineInstance,
  VM_CONDITIONS,
} from '@yagura/api';

/** Belong to the virtual machine itself; all others are the instance's. */
const OWN: string[] = Object.values(VM_CONDITIONS);

export interface Failure {
  reason: string;
  message: string;
}

/**
 * @param failure what went wrong in this pass, if anything
 * @param stopping the instance is about to be deleted
 */
export function vmConditions(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  failure: Failure | undefined,
  stopping: boolean,
  now: string,
): Condition[] {
  const kept = (vm.status?.conditions ?? []).filter(({ type }) => OWN.includes(type) && type !== VM_CONDITIONS.failure);
  let own = setCondition(kept, readyOf(vmi, stopping), now);
  if (failure) {
    const before = findCondition(vm, VM_CONDITIONS.failure);
    const wanted: NewCondition = { type: VM_CONDITIONS.failure, status: 'True', messageChange: 'update', ...failure };
    own = [...own, ...setCondition(before ? [before] : [], wanted, now)];
  }
  return [...own, ...(vmi?.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type))];
}

function readyOf(vmi: VirtualMachineInstance | undefined, stopping: boolean): NewCondition {
  const type = VM_CONDITIONS.ready;
  if (!vmi) return { type, status: 'False', reason: REASONS.vmiNotExists, message: 'VMI does not exist' };
  if (stopping || vmi.metadata.deletionTimestamp) {
    return { type, status: 'False', reason: REASONS.podTerminating, message: 'the instance is being deleted' };
  }
  const ready = findCondition(vmi, type);
  if (!ready) {
    return {
      type,
      status: 'False',
      reason: REASONS.vmiConditionMissing,
      message: 'VMI is missing the Ready condition',
    };
  }
  return { type, status: ready.status, reason: ready.reason, message: ready.message };
}
