import { gracePeriodSeconds, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import { endOfDomain, endOfLauncher, type RunEnd } from './outcome.ts';

/** A launcher may be silent for so long before anything follows from it. */
export const SILENCE_GRACE_MS = 3 * 60_000;
/** A guest that is slow to react is reminded so often. */
export const SHUTDOWN_REPEAT_MS = 5_000;

export interface Situation {
  vmi: VirtualMachineInstance;
  podDeleting: boolean;
  /** The compute container: not running yet, running, or ended. */
  compute: 'waiting' | 'running' | { exitCode: number; message: string };
  /** All containers of the pod run, so that its disks can be reached. */
  complete: boolean;
  /** What the launcher said last; undefined when it has not said anything yet. */
  domain: Domain | undefined;
  /** For how long the launcher has been silent; undefined when it never spoke. */
  silentMs: number | undefined;
  /** Whether the node sees a QEMU in the pod; only asked for when the launcher has been silent for too long. */
  qemuRuns: boolean | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** When the guest was last asked to shut down. */
  shutdownSentAt: number | undefined;
}

export type Decision =
  /** Nothing can be done; look again after a change, or after that time. */
  | { type: 'wait'; afterMs?: number }
  | { type: 'start' }
  /** The domain is as it should be: its state goes into the status. */
  | { type: 'observe' }
  | { type: 'shutdown'; afterMs: number }
  | { type: 'kill'; afterMs: number }
  /** There never was a domain, and there shall be none: the launcher may go. */
  | { type: 'dismiss' }
  | { type: 'end'; end: RunEnd };

/** What to do about an instance that is on this node and not final. Unknown is never taken for dead. */
export function decide(situation: Situation): Decision {
  const { vmi, podDeleting, compute, domain, now } = situation;
  const end = domain?.end;
  if (end !== undefined && domain?.vmiUid === vmi.metadata.uid) {
    const run = endOfDomain(end, vmi, podDeleting);
    return run === undefined ? { type: 'wait' } : { type: 'end', end: run };
  }
  if (typeof compute === 'object') return { type: 'end', end: endOfLauncher(compute, vmi, podDeleting) };
  if (compute === 'waiting') return { type: 'wait' };
  if ((situation.silentMs ?? 0) > SILENCE_GRACE_MS && situation.qemuRuns === false) {
    return { type: 'end', end: silent(situation.silentMs ?? 0) };
  }
  if (domain === undefined || domain.state === DomainState.UNSPECIFIED) {
    return domain === undefined ? { type: 'wait', afterMs: 10_000 } : { type: 'observe' };
  }
  if (vmi.metadata.deletionTimestamp !== undefined) return stop(situation, domain, now);
  if (domain.state !== DomainState.ABSENT) return { type: 'observe' };
  return situation.complete && !podDeleting ? { type: 'start' } : { type: 'wait' };
}

/** Graceful first, for as long as the instance grants counted from its deletion; then by force. */
function stop(situation: Situation, domain: Domain, now: number): Decision {
  const { vmi, shutdownSentAt } = situation;
  if (domain.state === DomainState.ABSENT) return { type: 'dismiss' };
  const graceMs = gracePeriodSeconds(vmi.spec) * 1000;
  // The timestamp of a custom resource is the moment of the request: unlike a pod, it has no grace of its own.
  const leftMs = Date.parse(vmi.metadata.deletionTimestamp ?? '') + graceMs - now;
  if (leftMs <= 0) return { type: 'kill', afterMs: 1_000 };
  const sinceSent = shutdownSentAt === undefined ? Number.POSITIVE_INFINITY : now - shutdownSentAt;
  if (sinceSent >= SHUTDOWN_REPEAT_MS) return { type: 'shutdown', afterMs: Math.min(SHUTDOWN_REPEAT_MS, leftMs) };
  return { type: 'wait', afterMs: Math.min(SHUTDOWN_REPEAT_MS - sinceSent, leftMs) };
}

function silent(silentMs: number): RunEnd {
  return {
    phase: 'Failed',
    reason: 'LauncherUnresponsive',
    message: `the launcher has not answered for ${Math.round(silentMs / 1000)} s, and no QEMU runs in its pod`,
  };
}
