import { isFinal, type StateChangeRequest, type VirtualMachineInstance } from '@yagura/api';

/** The requests that are still to be fulfilled, in their order: a stop is for one instance, a start is done when one lives. What comes after an unfulfilled one waits. */
export function pendingRequests(
  requests: readonly StateChangeRequest[] | undefined,
  vmi: VirtualMachineInstance | undefined,
): StateChangeRequest[] {
  const pending = [...(requests ?? [])];
  while (pending[0] && isDone(pending[0], vmi)) pending.shift();
  return pending;
}

function isDone({ action, uid }: StateChangeRequest, vmi: VirtualMachineInstance | undefined): boolean {
  if (action === 'Stop') return vmi === undefined || uid === undefined || uid !== vmi.metadata.uid;
  return vmi !== undefined && !isFinal(vmi) && !vmi.metadata.deletionTimestamp;
}
