import {
  isFinal,
  type RunStrategy,
  runStrategyOf,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from '@yagura/api';
import { rfc3339 } from '@yagura/kube';

export type StartFailure = NonNullable<VirtualMachineStatus['startFailure']>;

const RETRIED: readonly RunStrategy[] = ['Always', 'RerunOnFailure', 'Once'];
const STEP_SECONDS = 10;
const MAX_SECONDS = 300;

export function hasRun(vmi: VirtualMachineInstance): boolean {
  const times = vmi.status?.phaseTransitionTimestamps ?? [];
  return vmi.status?.phase === 'Running' || times.some(({ phase }) => phase === 'Running');
}

/** Whether the instance ended without its guest ever running, and not because somebody wanted it gone. */
export function failedToStart(vmi: VirtualMachineInstance): boolean {
  return isFinal(vmi) && !hasRun(vmi) && vmi.status?.reason !== 'Deleted';
}

/** Seconds before the next start after so many failed ones in a row. @param random 0 ≤ random < 1 */
export function backoffSeconds(failures: number, random: number): number {
  const seconds = failures * failures * STEP_SECONDS;
  return Math.min(MAX_SECONDS, Math.floor(seconds + (random * seconds) / 2));
}

/** The record of failed starts, as the present instance leaves it; another run strategy begins at nought. */
export function startFailureAfter(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  nowMs: number,
  random: number,
): StartFailure | undefined {
  const before = vm.status?.startFailure;
  if (!RETRIED.includes(runStrategyOf(vm))) return undefined;
  const counted = isOfOtherStrategy(vm) ? undefined : before;
  if (!vmi) return counted;
  if (hasRun(vmi)) return undefined;
  if (!failedToStart(vmi)) return counted;
  if (before?.lastFailedVMIUID === vmi.metadata.uid) return before;
  const consecutiveFailCount = (counted?.consecutiveFailCount ?? 0) + 1;
  return {
    consecutiveFailCount,
    ...(vmi.metadata.uid ? { lastFailedVMIUID: vmi.metadata.uid } : {}),
    retryAfterTimestamp: rfc3339(nowMs + backoffSeconds(consecutiveFailCount, random) * 1000),
  };
}

function isOfOtherStrategy({ spec, status }: VirtualMachine): boolean {
  return status?.runStrategy !== undefined && status.runStrategy !== runStrategyOf({ spec });
}

/** Milliseconds until the next start may be tried. */
export function waitBeforeStart(failure: StartFailure | undefined, nowMs: number): number {
  const at = Date.parse(failure?.retryAfterTimestamp ?? '');
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}

/** Whether the virtual machine knows of the end of this instance, so that the instance may vanish. */
export function isEndRecorded(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance): boolean {
  if (!vm || !failedToStart(vmi) || !RETRIED.includes(runStrategyOf(vm))) return true;
  return vm.status?.startFailure?.lastFailedVMIUID === vmi.metadata.uid;
}
