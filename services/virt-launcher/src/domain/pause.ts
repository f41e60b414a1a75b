import type { Domain } from '@yagura/libvirt';
import type { RunRecordFile } from './run-record.ts';

/** Pauses the domain, and keeps in mind that it was asked for: libvirt gives the same reason for a pause by virsh. */
export async function pause(domain: Pick<Domain, 'suspend'>, record: RunRecordFile): Promise<void> {
  const pauseRequested = record.record?.pauseRequested;
  // Before, so that whoever dies in between leaves no pause that nobody has asked for.
  record.note({ pauseRequested: true });
  try {
    await domain.suspend();
    // A look at the domain that still saw it run has noted that meanwhile.
    record.note({ pauseRequested: true });
  } catch (error) {
    if (pauseRequested !== undefined) record.note({ pauseRequested });
    throw error;
  }
}
