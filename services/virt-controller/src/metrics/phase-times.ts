import type { VirtualMachineInstance } from '@yagura/api';
import type { Change } from '@yagura/kube';
import { Histogram, type Registry } from '@yagura/runtime/metrics';
import { transition } from './transitions.ts';

/** Seconds; as wide as those that dashboards were made for. */
const BUCKETS = [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1200, 1800, 3600];

/** Measures how long instances take from phase to phase. The answer takes each change of an instance. */
export function phaseTimes(registry: Registry): (change: Change<VirtualMachineInstance>) => void {
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram({ name, help, labelNames: [...labelNames], buckets: BUCKETS, registers: [registry] });
  const fromLast = histogram(
    'kubevirt_vmi_phase_transition_time_seconds',
    'Seconds from the last phase of a virtual machine instance to this one.',
    ['phase', 'last_phase'],
  );
  const fromCreation = histogram(
    'kubevirt_vmi_phase_transition_time_from_creation_seconds',
    'Seconds from the creation of a virtual machine instance to a phase.',
    ['phase'],
  );
  const fromDeletion = histogram(
    'kubevirt_vmi_phase_transition_time_from_deletion_seconds',
    'Seconds from the deletion of a virtual machine instance to its end.',
    ['phase'],
  );
  return (change) => {
    const seen = change.type === 'updated' ? transition(change.old, change.object) : undefined;
    if (seen === undefined) return;
    const { phase, lastPhase, sinceLastPhase, sinceCreation, sinceDeletion } = seen;
    if (sinceLastPhase !== undefined) fromLast.observe({ phase, last_phase: lastPhase }, sinceLastPhase);
    if (sinceCreation !== undefined) fromCreation.observe({ phase }, sinceCreation);
    if (sinceDeletion !== undefined) fromDeletion.observe({ phase }, sinceDeletion);
  };
}
