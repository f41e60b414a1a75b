import {
  ANNOTATIONS,
  type Condition,
  FINALIZERS,
  isFinal,
  jsonPatch,
  openVolumeRequests,
  printableStatus,
  type RunStrategy,
  runStrategyOf,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
  VM_CONDITIONS,
  withVolumeRequests,
} from '@yagura/api';
import { rfc3339 } from '@yagura/kube';
import { type Failure, vmConditions } from './conditions.ts';
import { type Decision, decide, leavesOrphan } from './decide.ts';
import { pendingRequests } from './requests.ts';
import { startFailureAfter, waitBeforeStart } from './start-failure.ts';
import type { StorageFacts } from './storage.ts';

export interface VmWorld {
  vm: VirtualMachine;
  /** The instance that the virtual machine owns. */
  vmi: VirtualMachineInstance | undefined;
  nowMs: number;
  /** 0 ≤ random < 1, for the jitter of the back-off. */
  random: number;
  /** What failed in this pass. */
  failure?: Failure | undefined;
  /** What its volumes wait for, as long as that matters. */
  storage?: StorageFacts | undefined;
  /** Fields of the template that the running instance takes up at its next start; undefined when that is not known. */
  restartFor?: readonly string[] | undefined;
}

export interface VmPlan {
  decision: Decision;
  /** The object but its status: finalizer, and whether the spec says it runs. */
  object: VirtualMachine;
  /** The status as it should be; the same object when there is nothing worth a write. */
  status: VirtualMachineStatus;
  /** When to look again, because a start is being held back. */
  waitMs: number;
}

/** What is to be done for one virtual machine, from nothing but what is known now. */
export function planVm(world: VmWorld): VmPlan {
  const { vm, vmi, nowMs } = world;
  const requests = pendingRequests(vm.status?.stateChangeRequests, vmi).filter((request) => mayCome(vm, request));
  const startFailure = startFailureAfter(vm, vmi, nowMs, world.random);
  const wanted = decide(vm, vmi, requests);
  const waitMs = wanted.kind === 'create' ? waitBeforeStart(startFailure, nowMs) : 0;
  const startExpected = (wanted.kind === 'create' && waitMs === 0) || wanted.kind === 'switch-on';
  const mayStart = waitMs === 0 && (world.storage?.mayStart ?? true);
  const decision: Decision = wanted.kind === 'create' && !mayStart ? { kind: 'nothing' } : wanted;
  const queued: StateChangeRequest[] =
    decision.kind === 'delete' && decision.restart && requests.length === 0 ? [{ action: 'Start' }] : requests;
  return {
    decision,
    object: objectAfter(vm, vmi, decision),
    status: statusAfter(world, {
      requests: queued,
      startFailure,
      startExpected,
      stopExpected: decision.kind === 'delete',
    }),
    waitMs,
  };
}

/** A machine that is to be off is not started later by what was asked for before; a paused start switches it on. */
function mayCome(vm: VirtualMachine, { action, data }: StateChangeRequest): boolean {
  return action !== 'Start' || runStrategyOf(vm) !== 'Halted' || data?.['paused'] === 'true';
}

function objectAfter(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined, decision: Decision): VirtualMachine {
  const finalizers = vm.metadata.finalizers ?? [];
  const ours: string = FINALIZERS.vmController;
  const has = finalizers.includes(ours);
  if (vm.metadata.deletionTimestamp) {
    if ((vmi && !leavesOrphan(vm)) || !has) return vm;
    return { ...vm, metadata: { ...vm.metadata, finalizers: finalizers.filter((finalizer) => finalizer !== ours) } };
  }
  const requested = withVolumeRequests(vm);
  const on = decision.kind === 'switch-on' ? switchedOn(requested) : requested;
  return has ? on : { ...on, metadata: { ...on.metadata, finalizers: [...finalizers, ours] } };
}

function switchedOn(vm: VirtualMachine): VirtualMachine {
  const always: RunStrategy = 'Always';
  return { ...vm, spec: { ...vm.spec, ...(vm.spec.runStrategy ? { runStrategy: always } : { running: true }) } };
}

interface Outcome {
  requests: StateChangeRequest[];
  startFailure: VirtualMachineStatus['startFailure'];
  /** An instance is to be made now, or as soon as its volumes are ready; not after a back-off. */
  startExpected: boolean;
  stopExpected: boolean;
}

function statusAfter(world: VmWorld, outcome: Outcome): VirtualMachineStatus {
  const { vm, vmi, nowMs, failure, storage, restartFor } = world;
  const { requests, startFailure, startExpected, stopExpected } = outcome;
  const before = vm.status ?? {};
  const { stateChangeRequests: _r, startFailure: _f, created: _c, ready: _y, volumeRequests: _v, ...rest } = before;
  const volumeRequests = openVolumeRequests(vm);
  const observed = Number(vmi?.metadata.annotations?.[ANNOTATIONS.vmGeneration]);
  const now = rfc3339(nowMs);
  const conditions = vmConditions({ vm, vmi, failure, stopping: stopExpected, restartFor, now });
  const ready = conditions.some(({ type, status }) => type === VM_CONDITIONS.ready && status === 'True');
  const after: VirtualMachineStatus = {
    ...rest,
    ...(vmi ? { created: true } : {}),
    ...(ready ? { ready } : {}),
    ...(isInForce(vm, vmi) ? { runStrategy: runStrategyOf(vm) } : {}),
    ...(observed > 0 ? { observedGeneration: observed } : {}),
    ...(vm.metadata.generation ? { desiredGeneration: vm.metadata.generation } : {}),
    ...(requests.length > 0 ? { stateChangeRequests: requests } : {}),
    ...(startFailure ? { startFailure } : {}),
    ...(volumeRequests.length > 0 ? { volumeRequests } : {}),
    conditions,
  };
  after.printableStatus = printableStatus({
    vm: { ...vm, status: after },
    vmi,
    startExpected,
    stopExpected,
    now: new Date(nowMs),
    ...(storage?.dataVolumes ? { dataVolumes: storage.dataVolumes } : {}),
    claimsUnbound: storage?.claimsUnbound ?? false,
  });
  return isWorthAWrite(before, after) ? after : before;
}

/** A strategy that starts by itself counts from its first start; one that waits counts at once, so that the next is a change. */
function isInForce(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  const waits = ['Halted', 'Manual'].includes(runStrategyOf(vm));
  // The first instance may have ended before anybody wrote down that it began.
  return waits || (vmi !== undefined && (!isFinal(vmi) || vm.status?.runStrategy === undefined));
}

/** While it starts, Ready is False for one reason after the other; that alone is told with the next change of something else. */
function isWorthAWrite(before: VirtualMachineStatus, after: VirtualMachineStatus): boolean {
  const plain = ({ conditions, ...rest }: VirtualMachineStatus) => ({
    ...rest,
    conditions: (conditions ?? []).map(withoutReasonOfUnready),
  });
  return jsonPatch(plain(before), plain(after)).length > 0;
}

function withoutReasonOfUnready(condition: Condition): Condition {
  const { type, status } = condition;
  return type === VM_CONDITIONS.ready && status === 'False' ? { type, status } : condition;
}
