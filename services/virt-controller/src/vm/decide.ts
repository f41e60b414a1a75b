import {
  isFinal,
  type RunStrategy,
  runStrategyOf,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@yagura/api';

/** What the run strategy and the requests ask for. Only the first request is looked at. */
export type Decision =
  | { kind: 'nothing' }
  | { kind: 'create'; paused: boolean }
  /** `restart`: a start request is to be queued before the instance goes. */
  | { kind: 'delete'; restart: boolean }
  /** The spec itself is to say that the machine runs; the request stays for the instance that follows. */
  | { kind: 'switch-on' };

const NOTHING: Decision = { kind: 'nothing' };
const DELETE: Decision = { kind: 'delete', restart: false };

/** Whether it is deleted with `--cascade=orphan`: its instance runs on, and belongs to nobody. */
export function leavesOrphan(vm: VirtualMachine): boolean {
  return vm.metadata.deletionTimestamp !== undefined && (vm.metadata.finalizers ?? []).includes('orphan');
}

/** @param requests those still pending */
export function decide(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  requests: readonly StateChangeRequest[],
): Decision {
  if (vmi?.metadata.deletionTimestamp) return NOTHING;
  if (vm.metadata.deletionTimestamp) return vmi && !leavesOrphan(vm) ? DELETE : NOTHING;
  const [first] = requests;
  if (vmi) return first?.action === 'Stop' ? DELETE : withInstance(runStrategyOf(vm), vmi);
  const start = first?.action === 'Start' ? first : undefined;
  return withoutInstance(runStrategyOf(vm), start, vm.status?.runStrategy);
}

function withInstance(strategy: RunStrategy, vmi: VirtualMachineInstance): Decision {
  switch (strategy) {
    case 'Halted':
      return DELETE;
    case 'Always':
      return isFinal(vmi) ? DELETE : NOTHING;
    case 'RerunOnFailure':
      return isFinal(vmi) ? { kind: 'delete', restart: vmi.status?.phase === 'Failed' } : NOTHING;
    default:
      return NOTHING;
  }
}

function withoutInstance(
  strategy: RunStrategy,
  start: StateChangeRequest | undefined,
  startedUnder: RunStrategy | undefined,
): Decision {
  const paused = start?.data?.['paused'] === 'true';
  switch (strategy) {
    case 'Always':
    case 'Once':
      return { kind: 'create', paused };
    case 'RerunOnFailure':
      // Started once under this strategy, it comes back only when asked for, by a user or after a crash by the controller.
      return start || startedUnder !== 'RerunOnFailure' ? { kind: 'create', paused } : NOTHING;
    case 'Manual':
      return start ? { kind: 'create', paused } : NOTHING;
    case 'Halted':
      return paused ? { kind: 'switch-on' } : NOTHING;
    default:
      return NOTHING;
  }
}
