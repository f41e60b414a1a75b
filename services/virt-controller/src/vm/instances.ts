import { instanceOf, templateDrift, type VirtualMachine, type VirtualMachineInstance } from '@yagura/api';
import {
  type Clock,
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
import { refusalWords } from '../refusal-words.ts';
import { VirtualMachineInstances, VirtualMachines } from '../resources.ts';
import { adopt, isInstanceOf, isLost } from './adoption.ts';
import type { Failure } from './conditions.ts';
import { keepRevision, startedSpec } from './revisions.ts';

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
    const revision = await keepRevision(client, vm, signal);
    const now = () => rfc3339(clock.now());
    const wanted = instanceOf(vm, caches.config, { uuid, now }, { paused, revision });
    let vmi: VirtualMachineInstance;
    try {
      vmi = await client.create(VirtualMachineInstances, wanted, {}, signal);
    } catch (error) {
      if (isAlreadyExists(error)) return this.#existing(vm, signal);
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
    return { vmi };
  }

  /** The instance that exists although our view has none yet. */
  async #existing(vm: VirtualMachine, signal: AbortSignal): Promise<InstanceOutcome> {
    const { client, caches } = this.#options;
    const { namespace = '', name } = vm.metadata;
    const vmi = await client.get(VirtualMachineInstances, { namespace, name }, {}, signal);
    caches.vmis.observe(vmi);
    return this.claim(vm, vmi, signal);
  }

  /** The instance of the machine's name, if it is the machine's or becomes so now; else what is to be said when it stands in the way. */
  async claim(vm: VirtualMachine, found: VirtualMachineInstance, signal: AbortSignal): Promise<InstanceOutcome> {
    if (isInstanceOf(found, vm)) return { vmi: found };
    const { client, caches, events } = this.#options;
    const vmi = isLost(found) ? await adopt(client, vm, found, signal) : undefined;
    if (!vmi) return { failure: foreignInstance(vm) };
    caches.vmis.observe(vmi);
    events.normal(
      subjectOf(VirtualMachines, vm),
      'SuccessfulAdopt',
      `Took the virtual machine instance ${vmi.metadata.name}, which had lost its owner, for its own`,
    );
    return { vmi };
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
    const { restartFor, instance, failure: named } = templateDrift(vm, vmi, started, caches.config);
    const plugs = instance.spec.volumes !== vmi.spec.volumes;
    const reason = plugs && named === 'FailedUpdateError' ? 'HotPlugVolumeError' : named;
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

function foreignInstance(vm: VirtualMachine): Failure {
  const message = `VirtualMachineInstance ${vm.metadata.name} exists and does not belong to this VirtualMachine`;
  return { reason: 'FailedCreate', message };
}

/** Why the API server will not have it. What may go away by itself (no answer, too busy, a newer object) is thrown on. */
export function refusal(error: unknown): string {
  if (error instanceof KubeError && error.code < 500 && error.code !== 429 && !isConflict(error))
    return refusalWords(error.message);
  throw error;
}
