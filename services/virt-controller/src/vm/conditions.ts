import {
  type Condition,
  findCondition,
  isFinal,
  type NewCondition,
  REASONS,
  setCondition,
  type VirtualMachine,
  type VirtualMachineInstance,
  VM_CONDITIONS,
} from '@yagura/api';

/** Belong to the virtual machine itself; all others are the instance's. */
const OWN: string[] = Object.values(VM_CONDITIONS);
/** More changed fields than these are not named. */
const NAMED_FIELDS = 5;

export interface Failure {
  reason: string;
  message: string;
}

interface ConditionFacts {
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
  /** What went wrong in this pass, if anything. */
  failure: Failure | undefined;
  /** The instance is about to be deleted. */
  stopping: boolean;
  /** Fields of the template that take effect at the next start; undefined when that is not known. */
  restartFor: readonly string[] | undefined;
  /** RFC 3339 */
  now: string;
}

export function vmConditions(facts: ConditionFacts): Condition[] {
  const { vm, vmi, failure, stopping, now } = facts;
  const own = [
    readyOf(vmi, stopping),
    failure && { type: VM_CONDITIONS.failure, status: 'True' as const, messageChange: 'update' as const, ...failure },
  ].flatMap((wanted) => (wanted ? standing(vm, wanted, now) : []));
  const mirrored = (vmi?.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type));
  return [...own, ...restartRequired(facts), ...mirrored];
}

/** The condition as it is to be, with the time since when it is so. */
function standing(vm: VirtualMachine, wanted: NewCondition, now: string): Condition[] {
  const before = findCondition(vm, wanted.type);
  return setCondition(before ? [before] : [], wanted, now);
}

/** Concerns a running guest only: whatever it waits for is there after a start. */
function restartRequired({ vm, vmi, stopping, restartFor, now }: ConditionFacts): Condition[] {
  if (!vmi || isFinal(vmi) || stopping || vmi.metadata.deletionTimestamp) return [];
  const type = VM_CONDITIONS.restartRequired;
  if (restartFor === undefined) {
    const before = findCondition(vm, type);
    return before ? [before] : [];
  }
  if (restartFor.length === 0) return [];
  const more = restartFor.length > NAMED_FIELDS ? ` and ${restartFor.length - NAMED_FIELDS} more` : '';
  const message = `a non-live-updatable field was changed in the template spec: ${restartFor.slice(0, NAMED_FIELDS).join(', ')}${more}; restart the virtual machine to apply it`;
  return standing(vm, { type, status: 'True', message, messageChange: 'update' }, now);
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
