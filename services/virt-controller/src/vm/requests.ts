import { isFinal, type StateChangeRequest, type VirtualMachineInstance } from '@yagura/api';

/** The requests that are still to be fulfilled: a stop is for one instance, a start is done when one lives. */
export function pendingRequests(
  requests: readonly StateChangeRequest[] | undefined,
  vmi: VirtualMachineInstance | undefined,
): StateChangeRequest[] {
  const lives = vmi !== undefined && !isFinal(vmi) && !vmi.metadata.deletionTimestamp;
  return (requests ?? []).filter(({ action, uid }) =>
    action === 'Stop' ? vmi !== undefined && uid !== undefined && uid === vmi.metadata.uid : !lives,
  );
}
