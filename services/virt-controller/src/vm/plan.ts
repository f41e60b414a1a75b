import {
  ANNOTATIONS,
  type Condition,
  FINALIZERS,
  isFinal,
  jsonPatch,
  printableStatus,
  type RunStrategy,
  runStrategyOf,
  type StateChangeRequest,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
  VM_CONDITIONS,
} from '@yagura/api';
import { rfc3339 } from '@yagura/kube';
import { type Failure, vmConditions } from './conditions.ts';
import { type Decision, decide, leavesOrphan } from './decide.ts';
import { pendingRequests } from './requests.ts';
import { startFailureAfter, waitBeforeStart } from './start-failure.ts';

export interface VmWorld {
  vm: VirtualMachine;
  /** The instance that the virtual machine owns. */
  vmi: VirtualMachineInstance | undefined;
  nowMs: number;
  /** 0 ≤ random < 1, for the jitter of the back-off. */
  random: number;
  /** What failed in this pass. */
  failure?: Failure;
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
  const requests = pendingRequests(vm.status?.stateChangeRequests, vmi);
  const startFailure = startFailureAfter(vm, vmi, nowMs, world.random);
  const wanted = decide(vm, vmi, requests);
  const waitMs = wanted.kind === 'create' ? waitBeforeStart(startFailure, nowMs) : 0;
  const decision: Decision = waitMs > 0 ? { kind: 'nothing' } : wanted;
  const queued: StateChangeRequest[] =
    decision.kind === 'delete' && decision.restart && requests.length === 0 ? [{ action: 'Start' }] : requests;
  return {
    decision,
    object: objectAfter(vm, vmi, decision),
    status: statusAfter(world, decision, queued, startFailure),
    waitMs,
  };
}

function objectAfter(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined, decision: Decision): VirtualMachine {
  const finalizers = vm.metadata.finalizers ?? [];
  const ours: string = FINALIZERS.vmController;
  const has = finalizers.includes(ours);
  if (vm.metadata.deletionTimestamp) {
    if ((vmi && !leavesOrphan(vm)) || !has) return vm;
    return { ...vm, metadata: { ...vm.metadata, finalizers: finalizers.filter((finalizer) => finalizer !== ours) } };
  }
  const on = decision.kind === 'switch-on' ? switchedOn(vm) : vm;
  return has ? on : { ...on, metadata: { ...on.metadata, finalizers: [...finalizers, ours] } };
}

function switchedOn(vm: VirtualMachine): VirtualMachine {
  const always: RunStrategy = 'Always';
  return { ...vm, spec: { ...vm.spec, ...(vm.spec.runStrategy ? { runStrategy: always } : { running: true }) } };
}

function statusAfter(
  { vm, vmi, nowMs, failure }: VmWorld,
  decision: Decision,
  requests: StateChangeRequest[],
  startFailure: VirtualMachineStatus['startFailure'],
): VirtualMachineStatus {
  const before = vm.status ?? {};
  const { stateChangeRequests: _r, startFailure: _f, created: _c, ready: _y, ...rest } = before;
  const lives = vmi !== undefined && !isFinal(vmi);
  const observed = Number(vmi?.metadata.annotations?.[ANNOTATIONS.vmGeneration]);
  const conditions = vmConditions(vm, vmi, failure, decision.kind === 'delete', rfc3339(nowMs));
  const ready = conditions.some(({ type, status }) => type === VM_CONDITIONS.ready && status === 'True');
  const after: VirtualMachineStatus = {
    ...rest,
    ...(vmi ? { created: true } : {}),
    ...(ready ? { ready } : {}),
    ...(lives ? { runStrategy: runStrategyOf(vm) } : {}),
    ...(observed > 0 ? { observedGeneration: observed } : {}),
    ...(vm.metadata.generation ? { desiredGeneration: vm.metadata.generation } : {}),
    ...(requests.length > 0 ? { stateChangeRequests: requests } : {}),
    ...(startFailure ? { startFailure } : {}),
    conditions,
  };
  const startExpected = decision.kind === 'create' || decision.kind === 'switch-on';
  const facts = {
    vm: { ...vm, status: after },
    vmi,
    startExpected,
    stopExpected: decision.kind === 'delete',
    now: new Date(nowMs),
  };
  after.printableStatus = printableStatus(facts);
  return isWorthAWrite(before, after) ? after : before;
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
