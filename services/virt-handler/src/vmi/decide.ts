import { gracePeriodSeconds, isOnNode, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import {
  type ComputeEnd,
  endOfDomain,
  endOfLauncher,
  endOfPod,
  lossIsToCome,
  type PodLoss,
  type RunEnd,
} from './outcome.ts';

/** A launcher may be silent for so long before anything follows from it. */
export const SILENCE_GRACE_MS = 3 * 60_000;
/** A guest that is slow to react is reminded so often. */
export const SHUTDOWN_REPEAT_MS = 5_000;
/** A pod whose launcher has ended tells within so long why it had to. */
export const LOSS_PATIENCE_MS = 60_000;

export interface Situation {
  vmi: VirtualMachineInstance;
  podDeleting: boolean;
  /** The pod has ended, whatever its containers look like. */
  podDown: boolean;
  /** Why the pod goes or went, where that is not its containers' doing. */
  loss: PodLoss | undefined;
  /** The compute container: not running yet, running, or ended for so many milliseconds. */
  compute: 'waiting' | 'running' | (ComputeEnd & { forMs: number });
  /** All containers of the pod run, so that its disks can be reached. */
  complete: boolean;
  /** What the launcher said last; undefined when it has not said anything yet. */
  domain: Domain | undefined;
  /** For how long the launcher has been silent, from its container's start when it never spoke. */
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
  /** There is no domain, and there shall be none: the launcher and what is left of its pod may go. */
  | { type: 'dismiss'; afterMs?: number }
  /** The launcher has been silent for too long, yet the guest lives: for people to know. */
  | { type: 'complain'; message: string; afterMs: number }
  | { type: 'end'; end: RunEnd };

/** What to do about an instance that is on this node and not final. Unknown is never taken for dead. */
export function decide(situation: Situation): Decision {
  const { vmi, podDeleting, compute, domain, now } = situation;
  const end = domain?.end;
  if (end !== undefined && domain?.vmiUid === vmi.metadata.uid) {
    // The launcher is let go, so that the pod can end and say why it had to.
    if (!situation.podDown && lossIsToCome(end.podTerminating, situation)) return { type: 'dismiss' };
    return ended(endOfDomain(end, situation));
  }
  if (typeof compute === 'object') {
    const told = situation.podDown || compute.forMs >= LOSS_PATIENCE_MS;
    const toCome = lossIsToCome(compute.lastWords?.podTerminating ?? true, situation);
    if (!told && toCome) return { type: 'dismiss', afterMs: LOSS_PATIENCE_MS - compute.forMs };
    return ended(endOfLauncher(compute, situation));
  }
  if (compute === 'waiting') {
    // Before the instance is handed over, virt-controller makes another pod.
    return situation.podDown && isOnNode(vmi) ? ended(endOfPod(situation)) : { type: 'wait' };
  }
  const silentMs = situation.silentMs ?? 0;
  if (silentMs > SILENCE_GRACE_MS) {
    if (situation.qemuRuns === false) return ended(silent(silentMs));
    if (vmi.metadata.deletionTimestamp === undefined)
      return { type: 'complain', message: 'QEMU runs, but no launcher answers in pod', afterMs: 10_000 };
  }
  if (domain === undefined || domain.state === DomainState.UNSPECIFIED) {
    return domain === undefined ? { type: 'wait', afterMs: 10_000 } : { type: 'observe' };
  }
  if (vmi.metadata.deletionTimestamp !== undefined) return stop(situation, domain, now);
  if (domain.state !== DomainState.ABSENT) return { type: 'observe' };
  return situation.complete && !podDeleting ? { type: 'start' } : { type: 'wait' };
}

function ended(end: RunEnd | undefined): Decision {
  return end === undefined ? { type: 'wait' } : { type: 'end', end };
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
