import { findCondition, type NewCondition, REASONS, type VirtualMachineInstance, VMI_CONDITIONS } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import type { VmiEvents } from './events.ts';

const IO_ERROR = 'VMI was paused, low-level IO error detected';

/** Only pauses that somebody or something asked for are told; migration and start-up pause a domain as well. */
export function paused(domain: Domain): Omit<NewCondition, 'type'> | undefined {
  if (domain.state !== DomainState.PAUSED) return undefined;
  switch (domain.stateReason.toLowerCase().replaceAll(/[^a-z]/g, '')) {
    case 'user':
      return { status: 'True', reason: REASONS.pausedByUser, message: 'VMI was paused by user' };
    case 'ioerror':
      return { status: 'True', reason: REASONS.pausedIoError, message: ioError(domain) };
    default:
      return undefined;
  }
}

function ioError(domain: Domain): string {
  const disks = domain.ioErrors.map(
    ({ volume, device, reason }) => `${volume || device}${reason ? ` (${reason})` : ''}`,
  );
  return [IO_ERROR, [...new Set(disks)].join(', ')].filter(Boolean).join(': ');
}

/** Tells of storage that has failed since the reading before. */
export function tellIoError(
  before: VirtualMachineInstance,
  after: VirtualMachineInstance,
  events: Pick<VmiEvents, 'ioError'>,
): void {
  const [was, is] = [before, after].map((vmi) => findCondition(vmi, VMI_CONDITIONS.paused));
  if (is?.reason !== REASONS.pausedIoError || was?.reason === is.reason) return;
  events.ioError(after, (is.message ?? '').slice(`${IO_ERROR}: `.length));
}
