import type { End, Outcome, RunRecord } from './run-record.ts';

/** How the launcher learnt that a domain is no longer active. */
export interface Ending {
  /** libvirt's reason of the state shut off, or of the event that told of it; "gone": the domain is not defined any more. */
  reason: string;
  /** The launcher, or a daemon that lived all the while, saw it happen. */
  observed: boolean;
  /** The launcher heard all of libvirt's events up to the end, so that none of a panic means that there was none. */
  heardAll?: boolean;
}

/** What else the pod knows of how QEMU ended. */
export interface Evidence {
  /** The kernel killed a process of this pod for want of memory. */
  outOfMemory: boolean;
  /** Last complaint in QEMU's own log. */
  qemuLog: string | undefined;
}

const UNEXPECTED: ReadonlySet<Outcome> = new Set(['panicked', 'qemu-gone', 'crashed', 'failed', 'unobserved']);

/** Why a domain ended, in a word for the machine and a sentence for people. Never a success that nobody saw. */
export function judgeEnd(ending: Ending, record: RunRecord, evidence: Evidence): Omit<End, 'time'> {
  const [outcome, message] = judge(ending, record);
  const extra = UNEXPECTED.has(outcome) ? details(evidence) : '';
  return { outcome, message: `${message}${extra}` };
}

function judge({ reason, observed, heardAll }: Ending, record: RunRecord): [Outcome, string] {
  // QEMU that was killed by process id looks like a crash to libvirt.
  if (record.killReason !== undefined && reason !== 'shutdown') return ['destroyed', record.killReason];
  if (reason === 'shutdown') {
    const asked = record.shutdownRequestedAt !== undefined;
    return ['shutdown', asked ? 'the guest obeyed the request to shut down' : 'the guest shut itself down'];
  }
  if (reason === 'migrated') return ['migrated', 'the guest was migrated to another launcher'];
  if (reason === 'destroyed') return ['destroyed', 'the domain was destroyed through libvirt'];
  // libvirt destroys a guest that has panicked; its state tells of the panic for a moment only.
  if (record.panickedAt !== undefined || reason === 'panicked') {
    return ['panicked', "the guest's kernel panicked, and its panic device said so"];
  }
  if (!observed) return ['unobserved', 'QEMU ended while neither launcher nor libvirt was there to see how'];
  if (reason === 'crashed' && heardAll) return ['qemu-gone', 'QEMU ended without a shutdown: it crashed or was killed'];
  if (reason === 'crashed') return ['crashed', 'QEMU or its guest crashed, or QEMU was killed'];
  if (reason === 'failed') return ['failed', 'the domain could not be started'];
  return ['unobserved', `libvirt does not know how the domain ended (${reason})`];
}

/** Why a domain is killed when it is asked for: a guest that was asked to shut down before has not obeyed. */
export function killReason(record: RunRecord | undefined, now: Date): string {
  const asked = record?.shutdownRequestedAt;
  if (asked === undefined) return 'killed on request';
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(asked)) / 1000));
  return `killed: the guest did not shut down within ${seconds} s of being asked to`;
}

function details({ outOfMemory, qemuLog }: Evidence): string {
  const parts = [
    outOfMemory ? 'the kernel killed a process of the pod because it was out of memory' : undefined,
    qemuLog === undefined ? undefined : `QEMU's last words: ${qemuLog}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `; ${parts.join('; ')}`;
}
