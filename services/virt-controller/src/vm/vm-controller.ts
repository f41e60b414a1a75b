import { instanceOf, type VirtualMachine, type VirtualMachineInstance } from '@yagura/api';
import {
  type Clock,
  controllerOf,
  type EventRecorder,
  formatKey,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  KubeError,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
  rfc3339,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { patchObject } from '../patch-object.ts';
import { VirtualMachineInstances, VirtualMachines } from '../resources.ts';
import type { Failure } from './conditions.ts';
import { planVm } from './plan.ts';

const FAILURE_RETRY_MS = 30_000;

export interface VmControllerOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  clock: Clock;
  random: () => number;
  uuid: () => string;
}

/** Makes instances come and go as run strategies and requests say. */
export class VmController {
  readonly #options: VmControllerOptions;

  constructor(options: VmControllerOptions) {
    this.#options = options;
  }

  async reconcile(request: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { caches, clock, random } = this.#options;
    let vm = caches.vms.store.get(formatKey(request));
    if (!vm) return {};
    const found = caches.vmis.store.get(formatKey(request));
    const foreign = found !== undefined && !isInstanceOf(found, vm);
    let vmi = foreign ? undefined : found;
    const jitter = random();
    let plan = planVm({ vm, vmi, nowMs: clock.now(), random: jitter });

    vm = (await this.#writeObject(vm, plan.object, signal)) ?? vm;
    if (vm.metadata.deletionTimestamp && !vmi) return {};
    let failure: Failure | undefined;
    if (plan.decision.kind === 'create') {
      if (foreign) failure = foreignInstance(vm);
      else {
        const outcome = await this.#create(vm, plan.decision.paused, signal);
        if ('vmi' in outcome) vmi = outcome.vmi;
        else failure = outcome.failure;
      }
      plan = planVm({ vm, vmi, nowMs: clock.now(), random: jitter, ...(failure ? { failure } : {}) });
    }
    // Before the instance goes: what its end means must be known even if we die right after.
    await this.#writeStatus(vm, plan.status, signal);
    if (plan.decision.kind === 'delete' && vmi) await this.#delete(vm, vmi, signal);
    const requeueAfterMs = failure ? FAILURE_RETRY_MS : plan.waitMs;
    return requeueAfterMs > 0 ? { requeueAfterMs } : {};
  }

  async #writeObject(
    before: VirtualMachine,
    after: VirtualMachine,
    signal: AbortSignal,
  ): Promise<VirtualMachine | undefined> {
    if (before === after) return undefined;
    const { client, caches } = this.#options;
    const written = await patchObject(client, VirtualMachines, before, after, {}, signal).catch(ignoreNotFound);
    if (written) caches.vms.observe(written);
    return written;
  }

  async #writeStatus(vm: VirtualMachine, status: VirtualMachine['status'], signal: AbortSignal): Promise<void> {
    if (status === vm.status || status === undefined) return;
    const { client, caches } = this.#options;
    const options = { subresource: 'status' };
    const written = await patchObject(client, VirtualMachines, vm, { ...vm, status }, options, signal).catch(
      ignoreNotFound,
    );
    if (written) caches.vms.observe(written);
  }

  async #create(
    vm: VirtualMachine,
    paused: boolean,
    signal: AbortSignal,
  ): Promise<{ vmi: VirtualMachineInstance } | { failure: Failure }> {
    const { client, caches, events, clock, uuid } = this.#options;
    const subject = subjectOf(VirtualMachines, vm);
    try {
      const now = () => rfc3339(clock.now());
      const wanted = instanceOf(vm, caches.config, { uuid, now }, { paused });
      const vmi = await client.create(VirtualMachineInstances, wanted, {}, signal);
      caches.vmis.observe(vmi);
      events.normal(
        subject,
        'SuccessfulCreate',
        `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`,
      );
      return { vmi };
    } catch (error) {
      if (isAlreadyExists(error)) return this.#adopt(vm, signal);
      if (!(error instanceof KubeError) || error.code >= 500 || error.code === 429) throw error;
      const failure = { reason: 'FailedCreate', message: `the instance cannot be created: ${error.message}` };
      events.warning(subject, failure.reason, failure.message);
      return { failure };
    }
  }

  /** The instance that exists although our view has none yet. */
  async #adopt(
    vm: VirtualMachine,
    signal: AbortSignal,
  ): Promise<{ vmi: VirtualMachineInstance } | { failure: Failure }> {
    const { client, caches } = this.#options;
    const { namespace = '', name } = vm.metadata;
    const vmi = await client.get(VirtualMachineInstances, { namespace, name }, {}, signal);
    caches.vmis.observe(vmi);
    return isInstanceOf(vmi, vm) ? { vmi } : { failure: foreignInstance(vm) };
  }

  async #delete(vm: VirtualMachine, vmi: VirtualMachineInstance, signal: AbortSignal): Promise<void> {
    const { client, events } = this.#options;
    const { namespace = '', name, uid = '' } = vmi.metadata;
    try {
      await client.delete(VirtualMachineInstances, { namespace, name }, { preconditions: { uid } }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return;
    }
    events.normal(
      subjectOf(VirtualMachines, vm),
      'SuccessfulDelete',
      `Stopped the virtual machine by deleting the virtual machine instance ${uid}`,
    );
  }
}

function isInstanceOf(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  return controllerOf(vmi)?.uid === vm.metadata.uid;
}

function foreignInstance(vm: VirtualMachine): Failure {
  const message = `VirtualMachineInstance ${vm.metadata.name} exists and does not belong to this VirtualMachine`;
  return { reason: 'FailedCreate', message };
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
