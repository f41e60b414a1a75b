import {
  isFinal,
  isOfOtherGeneration,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from '@yagura/api';
import { formatKey, isNotFound, type ObjectName, type ReconcileContext, type ReconcileResult } from '@yagura/kube';
import { patchObject } from '../patch-object.ts';
import { VirtualMachines } from '../resources.ts';
import type { Failure } from './conditions.ts';
import { type InstanceOutcome, Instances, type InstancesOptions } from './instances.ts';
import { planVm, type VmPlan } from './plan.ts';
import { type StorageFacts, storageOf } from './storage.ts';

const FAILURE_RETRY_MS = 30_000;
/** How often a volume that is being filled is looked at. */
const PROVISIONING_MS = 5_000;

export interface VmControllerOptions extends InstancesOptions {
  random: () => number;
}

/** Makes instances come and go as run strategies and requests say. */
export class VmController {
  readonly #options: VmControllerOptions;
  readonly #instances: Instances;

  constructor(options: VmControllerOptions) {
    this.#options = options;
    this.#instances = new Instances(options);
  }

  async reconcile(request: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { caches, clock, random } = this.#options;
    let vm = caches.vms.store.get(formatKey(request));
    if (!vm) return {};
    const found = caches.vmis.store.get(formatKey(request));
    const claim = found ? await this.#instances.claim(vm, found, signal) : {};
    let { vmi } = claim;
    const jitter = random();
    const plan = (more: { failure?: Failure | undefined; restartFor?: string[] | undefined } = {}) =>
      planVm({ vm: vm as VirtualMachine, vmi, nowMs: clock.now(), random: jitter, storage, ...more });

    const storage = await storageOf(this.#options, vm, vmi, signal);
    let now = plan();
    vm = (await this.#writeObject(vm, now.object, signal)) ?? vm;
    if (vm.metadata.deletionTimestamp && !vmi) return {};
    const outcome = await this.#act(vm, vmi, now, claim.failure, signal);
    ({ vmi } = outcome);
    let failure = outcome.failure ?? storage?.failure;
    now = plan({ ...outcome, failure });
    // Before the instance goes: what its end means must be known even if we die right after.
    vm = (await this.#writeStatus(vm, now.status, signal)) ?? vm;
    if (now.decision.kind === 'delete' && vmi) {
      failure = await this.#instances.delete(vm, vmi, signal);
      if (failure) await this.#writeStatus(vm, plan({ failure }).status, signal);
    }
    return nextLook(failure, now.waitMs, storage);
  }

  /** Everything but the end of an instance, which must not come before the status is written. */
  async #act(
    vm: VirtualMachine,
    vmi: VirtualMachineInstance | undefined,
    { decision }: VmPlan,
    inTheWay: Failure | undefined,
    signal: AbortSignal,
  ): Promise<InstanceOutcome & { restartFor?: string[] }> {
    if (decision.kind === 'create') {
      return inTheWay ? { failure: inTheWay } : this.#instances.create(vm, decision.paused, signal);
    }
    if (decision.kind !== 'nothing' || !vmi || isFinal(vmi) || vmi.metadata.deletionTimestamp) return { vmi };
    return isOfOtherGeneration(vm, vmi) ? this.#instances.follow(vm, vmi, signal) : { vmi, restartFor: [] };
  }

  async #writeObject(
    before: VirtualMachine,
    after: VirtualMachine,
    signal: AbortSignal,
  ): Promise<VirtualMachine | undefined> {
    return before === after ? undefined : this.#write(before, after, {}, signal);
  }

  async #writeStatus(
    vm: VirtualMachine,
    status: VirtualMachineStatus,
    signal: AbortSignal,
  ): Promise<VirtualMachine | undefined> {
    return status === vm.status ? undefined : this.#write(vm, { ...vm, status }, { subresource: 'status' }, signal);
  }

  async #write(
    before: VirtualMachine,
    after: VirtualMachine,
    options: { subresource?: string },
    signal: AbortSignal,
  ): Promise<VirtualMachine | undefined> {
    const { client, caches } = this.#options;
    try {
      const written = await patchObject(client, VirtualMachines, before, after, options, signal);
      if (written) caches.vms.observe(written);
      return written;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }
}

function nextLook(failure: Failure | undefined, waitMs: number, storage: StorageFacts | undefined): ReconcileResult {
  const waits = [
    ...(failure || storage?.dataVolumes === 'error' ? [FAILURE_RETRY_MS] : []),
    ...(storage?.dataVolumes === 'provisioning' ? [PROVISIONING_MS] : []),
    ...(waitMs > 0 ? [waitMs] : []),
  ];
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : {};
}
