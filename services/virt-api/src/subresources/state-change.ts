import type { JsonPatchOperation } from '@yagura/kube';
import { badRequest, conflict, internalError } from '../http/status.ts';
import { isFinal, type StateChangeRequest, type Vm, type Vmi, vmSubject } from './objects.ts';
import type { RestartOptions, StartOptions, StopOptions } from './options.ts';

/** What a call on a VM writes. Every patch tests what it was decided on, so that a lost race is a 409. */
export interface StateChange {
  /** Patch of the VM, or of its status subresource. */
  vm?: { subresource?: 'status'; patch: JsonPatchOperation[] };
  /** Patch of the VMI that goes before, and what takes it back should the VM's patch fail. */
  vmi?: { patch: JsonPatchOperation[]; undo: JsonPatchOperation[] };
}

/** Seconds that a forced restart leaves the guest: KubeVirt's figure, as 0 would skip the shutdown altogether. */
const FORCED_RESTART_GRACE = 1;

export function runStrategyOf(vm: Vm): string {
  const { runStrategy, running } = vm.spec ?? {};
  if (runStrategy !== undefined) return runStrategy;
  if (running !== undefined) return running ? 'Always' : 'Halted';
  throw badRequest('the VirtualMachine has neither spec.runStrategy nor spec.running');
}

export function decideStart(vm: Vm, vmi: Vmi | undefined, options: StartOptions): StateChange {
  const subject = vmSubject(vm.metadata?.name ?? '');
  const phase = vmi?.status?.phase ?? '';
  if (vmi !== undefined && !isFinal(vmi) && phase !== '' && phase !== 'Unknown')
    throw conflict(subject, 'VM is already running');
  const start: StateChangeRequest = { action: 'Start', ...(options.paused ? { data: { paused: 'true' } } : {}) };
  const strategy = runStrategyOf(vm);
  switch (strategy) {
    case 'Halted':
      // A paused start cannot be said by the strategy alone: virt-controller flips it when it takes the request.
      return options.paused && vm.spec?.template?.spec?.startStrategy !== 'Paused'
        ? requests(vm, [start])
        : runningPatch(vm, true);
    case 'RerunOnFailure':
      if (phase === 'Failed') throw conflict(subject, `${strategy} does not support starting VM from failed state`);
      return requests(vm, phase === 'Succeeded' ? [stopOf(vmi), start] : [start]);
    case 'Manual':
      return requests(vm, vmi !== undefined && isFinal(vmi) ? [stopOf(vmi), start] : [start]);
    default:
      throw conflict(subject, `${strategy} does not support manual start requests`);
  }
}

export function decideStop(vm: Vm, vmi: Vmi | undefined, options: StopOptions): StateChange {
  const subject = vmSubject(vm.metadata?.name ?? '');
  const live = vmi !== undefined && !isFinal(vmi) ? vmi : undefined;
  const current = live?.spec?.terminationGracePeriodSeconds ?? 30;
  const shorter = options.gracePeriod !== undefined && options.gracePeriod < current ? options.gracePeriod : undefined;
  const grace = live !== undefined && shorter !== undefined ? { vmi: gracePatch(live, shorter) } : {};
  const strategy = runStrategyOf(vm);
  switch (strategy) {
    case 'Halted':
      if (live === undefined) throw conflict(subject, 'VM is not running');
      if (shorter === undefined)
        throw conflict(subject, `${strategy} only supports manual stop requests with a shorter graceperiod`);
      return { ...grace, ...requests(vm, [stopOf(live)]) };
    case 'RerunOnFailure':
    case 'Manual':
      if (live === undefined) throw conflict(subject, 'VM is not running');
      return { ...grace, ...requests(vm, [stopOf(live)]) };
    default:
      return { ...grace, ...runningPatch(vm, false) };
  }
}

export function decideRestart(vm: Vm, vmi: Vmi | undefined, options: RestartOptions): StateChange {
  const subject = vmSubject(vm.metadata?.name ?? '');
  const strategy = runStrategyOf(vm);
  if (strategy === 'Halted' || strategy === 'Once')
    throw conflict(subject, `${strategy} does not support manual restart requests`);
  if (vmi === undefined) throw conflict(subject, 'VM is not running');
  const grace = options.gracePeriodSeconds === 0 && !isFinal(vmi) ? { vmi: gracePatch(vmi, FORCED_RESTART_GRACE) } : {};
  return { ...grace, ...requests(vm, [stopOf(vmi), { action: 'Start' }]) };
}

function stopOf(vmi: Vmi | undefined): StateChangeRequest {
  return { action: 'Stop', uid: vmi?.metadata?.uid ?? '' };
}

function requests(vm: Vm, changes: StateChangeRequest[]): StateChange {
  const pending = vm.status?.stateChangeRequests ?? [];
  // A stop alone may replace what is pending: whoever wants it down must not wait for it to come up.
  const stopOnly = changes.length === 1 && changes[0]?.action === 'Stop';
  if (pending.length > 0 && !stopOnly) throw internalError('unable to complete request: stop/start already underway');
  const patch: JsonPatchOperation[] = [];
  if (vm.status === undefined)
    patch.push({ op: 'test', path: '/status', value: null }, { op: 'add', path: '/status', value: {} });
  else patch.push({ op: 'test', path: '/status/stateChangeRequests', value: vm.status.stateChangeRequests ?? null });
  patch.push({ op: 'add', path: '/status/stateChangeRequests', value: changes });
  if (vm.status?.startFailure !== undefined) patch.push({ op: 'remove', path: '/status/startFailure' });
  return { vm: { subresource: 'status', patch } };
}

function runningPatch(vm: Vm, running: boolean): StateChange {
  const { runStrategy } = vm.spec ?? {};
  const [path, old, value] =
    runStrategy === undefined
      ? ['/spec/running', vm.spec?.running ?? null, running]
      : ['/spec/runStrategy', runStrategy, running ? 'Always' : 'Halted'];
  return {
    vm: {
      patch: [
        { op: 'test', path, value: old },
        { op: 'replace', path, value },
      ],
    },
  };
}

function gracePatch(vmi: Vmi, seconds: number): { patch: JsonPatchOperation[]; undo: JsonPatchOperation[] } {
  const path = '/spec/terminationGracePeriodSeconds';
  const old = vmi.spec?.terminationGracePeriodSeconds;
  return {
    patch: [
      { op: 'test', path, value: old ?? null },
      { op: 'add', path, value: seconds },
    ],
    undo: [
      { op: 'test', path, value: seconds },
      old === undefined ? { op: 'remove', path } : { op: 'replace', path, value: old },
    ],
  };
}
