import { instanceOf, templateDrift, type VirtualMachine, type VirtualMachineInstance } from '@yagura/api';
import {
  type Clock,
  controllerOf,
  type EventRecorder,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  KubeError,
  rfc3339,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { patchObject } from '../patch-object.ts';
import { VirtualMachineInstances, VirtualMachines } from '../resources.ts';
import type { Failure } from './conditions.ts';
import { dropRevisions, keepRevision, startedSpec } from './revisions.ts';

export interface InstancesOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  clock: Clock;
  uuid: () => string;
}

/** The instance that there is now, or what the API server has against the change. */
export interface InstanceOutcome {
  vmi?: VirtualMachineInstance | undefined;
  failure?: Failure;
}

/** The instances of virtual machines, as they are made, changed and ended. */
export class Instances {
  readonly #options: InstancesOptions;

  constructor(options: InstancesOptions) {
    this.#options = options;
  }

  async create(vm: VirtualMachine, paused: boolean, signal: AbortSignal): Promise<InstanceOutcome> {
    const { client, caches, events, clock, uuid } = this.#options;
    const subject = subjectOf(VirtualMachines, vm);
    const { name: revision, earlier } = await keepRevision(client, vm, signal);
    const now = () => rfc3339(clock.now());
    const wanted = instanceOf(vm, caches.config, { uuid, now }, { paused, revision });
    let vmi: VirtualMachineInstance;
    try {
      vmi = await client.create(VirtualMachineInstances, wanted, {}, signal);
    } catch (error) {
      if (isAlreadyExists(error)) return this.#adopt(vm, signal);
      const failure = { reason: 'FailedCreate', message: `the instance cannot be created: ${refusal(error)}` };
      events.warning(subject, failure.reason, failure.message);
      return { failure };
    }
    caches.vmis.observe(vmi);
    events.normal(
      subject,
      'SuccessfulCreate',
      `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`,
    );
    // Only now is it certain that no instance was made from one of them.
    await dropRevisions(client, vmi, earlier, signal);
    return { vmi };
  }

  /** The instance that exists although our view has none yet. */
  async #adopt(vm: VirtualMachine, signal: AbortSignal): Promise<InstanceOutcome> {
    const { client, caches } = this.#options;
    const { namespace = '', name } = vm.metadata;
    const vmi = await client.get(VirtualMachineInstances, { namespace, name }, {}, signal);
    caches.vmis.observe(vmi);
    return isInstanceOf(vmi, vm) ? { vmi } : { failure: foreignInstance(vm) };
  }

  /**
   * Gives a running instance what it can take of a changed template.
   * @returns also the fields that wait for the next start; undefined when nobody knows what the start was made from
   */
  async follow(
    vm: VirtualMachine,
    vmi: VirtualMachineInstance,
    signal: AbortSignal,
  ): Promise<InstanceOutcome & { restartFor?: string[] }> {
    const { client, caches, events } = this.#options;
    const started = await startedSpec(client, vmi, signal);
    if (!started) return { vmi };
    const { restartFor, instance, failure: reason } = templateDrift(vm, vmi, started, caches.config);
    try {
      const written = await patchObject(client, VirtualMachineInstances, vmi, instance, {}, signal);
      if (written) caches.vmis.observe(written);
      return { vmi: written ?? vmi, restartFor };
    } catch (error) {
      if (isNotFound(error)) return { vmi };
      const failure = { reason, message: `the running instance cannot be changed: ${refusal(error)}` };
      events.warning(subjectOf(VirtualMachines, vm), reason, failure.message);
      return { vmi, restartFor, failure };
    }
  }

  async delete(vm: VirtualMachine, vmi: VirtualMachineInstance, signal: AbortSignal): Promise<Failure | undefined> {
    const { client, events } = this.#options;
    const { namespace = '', name, uid = '' } = vmi.metadata;
    const subject = subjectOf(VirtualMachines, vm);
    try {
      await client.delete(VirtualMachineInstances, { namespace, name }, { preconditions: { uid } }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      const failure = { reason: 'FailedDelete', message: `the instance cannot be deleted: ${refusal(error)}` };
      events.warning(subject, failure.reason, failure.message);
      return failure;
    }
    events.normal(
      subject,
      'SuccessfulDelete',
      `Stopped the virtual machine by deleting the virtual machine instance ${uid}`,
    );
    return undefined;
  }
}

export function isInstanceOf(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  return controllerOf(vmi)?.uid === vm.metadata.uid;
}

export function foreignInstance(vm: VirtualMachine): Failure {
  const message = `VirtualMachineInstance ${vm.metadata.name} exists and does not belong to this VirtualMachine`;
  return { reason: 'FailedCreate', message };
}

/** Why the API server will not have it. What may go away by itself (no answer, too busy, a newer object) is thrown on. */
export function refusal(error: unknown): string {
  if (error instanceof KubeError && error.code < 500 && error.code !== 429 && !isConflict(error)) return error.message;
  throw error;
}
