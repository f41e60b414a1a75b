import { isFinal, type VirtualMachineInstance } from '@yagura/api';

/** A change of phase, in seconds since the events that it is measured from; absent where that is not known. */
export interface Transition {
  phase: string;
  lastPhase: string;
  sinceLastPhase: number | undefined;
  sinceCreation: number | undefined;
  /** Of an instance that was told to end and has. */
  sinceDeletion: number | undefined;
}

/** The change of phase between two versions of an instance; undefined when there is none. */
export function transition(old: VirtualMachineInstance, now: VirtualMachineInstance): Transition | undefined {
  const [lastPhase, phase] = [old.status?.phase, now.status?.phase];
  if (phase === undefined || phase === lastPhase) return undefined;
  const { creationTimestamp, deletionTimestamp } = now.metadata;
  const at = enteredAt(now, phase);
  const since = (start: string | null | undefined): number | undefined => {
    if (!start || !at) return undefined;
    const seconds = (Date.parse(at) - Date.parse(start)) / 1000;
    // Clocks of different machines, or a phase that was entered before.
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  };
  return {
    phase,
    lastPhase: lastPhase ?? '',
    sinceLastPhase: since(lastPhase && enteredAt(now, lastPhase)),
    sinceCreation: since(creationTimestamp),
    sinceDeletion: isFinal(now) ? since(deletionTimestamp) : undefined,
  };
}

function enteredAt({ status }: VirtualMachineInstance, phase: string): string | null | undefined {
  return status?.phaseTransitionTimestamps?.find((time) => time.phase === phase)?.phaseTransitionTimestamp;
}
