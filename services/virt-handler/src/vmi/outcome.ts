import { gracePeriodSeconds, type VirtualMachineInstance } from '@yagura/api';
import { type DomainEnd, DomainOutcome } from '@yagura/contracts';

/** How a run ended, for the status and for an event. */
export interface RunEnd {
  phase: 'Succeeded' | 'Failed';
  /** One word for `status.reason`; absent for an ordinary end. */
  reason: string | undefined;
  message: string;
}

/** The pod was taken away while nobody asked for the instance to end. */
const POD_DELETED = 'LauncherPodDeleted';

/**
 * The end of a run from the end of its domain; undefined when the domain lives on elsewhere. A guest that had to be
 * destroyed after its grace period failed to obey; one that was never given any did not.
 */
export function endOfDomain(end: DomainEnd, vmi: VirtualMachineInstance, podDeleting: boolean): RunEnd | undefined {
  const { outcome } = end;
  const message = end.message;
  const unwanted = podDeleting && vmi.metadata.deletionTimestamp === undefined;
  switch (outcome) {
    case DomainOutcome.SHUTDOWN:
      if (unwanted) return podDeleted('the guest was shut down because its launcher pod was deleted');
      return { phase: 'Succeeded', reason: undefined, message: message || 'the guest shut down' };
    case DomainOutcome.DESTROYED:
      if (unwanted) return podDeleted('the guest was stopped because its launcher pod was deleted');
      return destroyed(vmi, message);
    case DomainOutcome.MIGRATED:
      return undefined;
    case DomainOutcome.CRASHED:
      return { phase: 'Failed', reason: 'GuestCrashed', message: message || 'QEMU or the guest crashed' };
    case DomainOutcome.FAILED:
      return { phase: 'Failed', reason: 'DomainStartFailed', message: message || 'the domain could not be started' };
    case DomainOutcome.UNOBSERVED:
      return {
        phase: 'Failed',
        reason: 'DomainEndedUnobserved',
        message: message || 'the domain ended while nobody looked',
      };
    default:
      return { phase: 'Failed', reason: 'DomainEnded', message: message || 'the domain ended in an unknown way' };
  }
}

function destroyed(vmi: VirtualMachineInstance, message: string): RunEnd {
  const acpi = vmi.spec.domain.features?.acpi?.enabled ?? true;
  const text = message || 'the domain was destroyed';
  if (acpi && gracePeriodSeconds(vmi.spec) > 0) {
    return { phase: 'Failed', reason: 'DomainDestroyed', message: text };
  }
  return { phase: 'Succeeded', reason: undefined, message: text };
}

function podDeleted(message: string): RunEnd {
  return { phase: 'Failed', reason: POD_DELETED, message };
}

/** The end of a run whose launcher ended without telling us how: all there is to go by is its exit code. */
export function endOfLauncher(
  compute: { exitCode: number; message: string },
  vmi: VirtualMachineInstance,
  podDeleting: boolean,
): RunEnd {
  if (compute.exitCode !== 0) {
    const detail = compute.message === '' ? '' : `: ${compute.message}`;
    return {
      phase: 'Failed',
      reason: 'LauncherFailed',
      message: `the launcher ended with exit code ${compute.exitCode}${detail}`,
    };
  }
  if (podDeleting && vmi.metadata.deletionTimestamp === undefined) {
    return podDeleted('the guest was shut down because its launcher pod was deleted');
  }
  return { phase: 'Succeeded', reason: undefined, message: compute.message || 'the guest shut down' };
}
