import type { PodPhase } from './kubernetes.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceMigration } from './types.ts';

interface HasPhase {
  status?: { phase?: string | undefined } | undefined;
}

/** Whether the run or the migration is over: Succeeded or Failed. */
export function isFinal(object: HasPhase): boolean {
  return object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed';
}

export function isRunning(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Running';
}

/** Whether no launcher has been given a node yet. An instance without a phase is new. */
export function isUnprocessed(vmi: VirtualMachineInstance): boolean {
  const phase = vmi.status?.phase as string | undefined;
  return phase === undefined || phase === '' || phase === 'Pending';
}

/** Whether virt-handler is in charge: it has the node, and the run is not over. */
export function isOnNode(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Scheduled' || vmi.status?.phase === 'Running';
}

/** Whether the migration occupies one of the cluster's places; it does from the target pod to its end. */
export function isMigrationRunning(migration: VirtualMachineInstanceMigration): boolean {
  const phase = migration.status?.phase as string | undefined;
  return !['', 'Pending', 'WaitingForSync', 'Synchronizing', 'Succeeded', 'Failed'].includes(phase ?? '');
}

/** Whether a pod has ended and will not come back. */
export function isPodDown(phase: PodPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

interface HasPhaseTimes {
  phase?: string;
  phaseTransitionTimestamps?: { phase?: string; phaseTransitionTimestamp?: string | null }[];
}

/** The status in another phase, with the time of the first entry kept. @param now RFC 3339 */
export function withPhase<S extends HasPhaseTimes>(status: S, phase: NonNullable<S['phase']>, now: string): S {
  if (status.phase === phase) return status;
  const times = status.phaseTransitionTimestamps ?? [];
  const known = times.some((time) => time.phase === phase);
  return {
    ...status,
    phase,
    phaseTransitionTimestamps: known ? times : [...times, { phase, phaseTransitionTimestamp: now }],
  };
}
