import { type Condition, findCondition, setCondition, type VirtualMachineInstance, VMI_CONDITIONS } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import type { VmiEvents } from './events.ts';

/** Whether keys and passwords are in the guest; until the launcher has tried, what was said before stays. */
export function withCredentials(before: Condition[], { accessCredentials }: Domain, now: string): Condition[] {
  if (accessCredentials === undefined) return before;
  const { succeeded, message } = accessCredentials;
  return setCondition(
    before,
    {
      type: VMI_CONDITIONS.accessCredentialsSynchronized,
      status: succeeded ? 'True' : 'False',
      message,
      messageChange: 'update',
    },
    now,
  );
}

/** Tells by an event what has changed between two readings of an instance. */
export function tellCredentials(
  before: VirtualMachineInstance,
  after: VirtualMachineInstance,
  events: Pick<VmiEvents, 'accessCredentials'>,
): void {
  const [was, is] = [before, after].map((vmi) => findCondition(vmi, VMI_CONDITIONS.accessCredentialsSynchronized));
  if (is === undefined || (was?.status === is.status && (was.message ?? '') === (is.message ?? ''))) return;
  events.accessCredentials(after, is.status === 'True' ? undefined : (is.message ?? ''));
}
