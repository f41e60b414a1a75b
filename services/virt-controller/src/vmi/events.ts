import type { VirtualMachineInstance } from '@yagura/api';
import { type EventRecorder, subjectOf } from '@yagura/kube';
import { VirtualMachineInstances } from '../resources.ts';
import type { VolumeNews } from '../volumes/volume-events.ts';
import type { Trouble } from './image-pull.ts';

/** The events of virt-controller about instances, with the reasons that clients know. */
export class VmiEvents {
  readonly #recorder: Pick<EventRecorder, 'normal' | 'warning'>;

  constructor(recorder: Pick<EventRecorder, 'normal' | 'warning'>) {
    this.#recorder = recorder;
  }

  podCreated(vmi: VirtualMachineInstance, pod: string): void {
    this.#normal(vmi, 'SuccessfulCreate', `Created virtual machine pod ${pod}`);
  }

  podNotCreated(vmi: VirtualMachineInstance, message: string): void {
    this.#warning(vmi, 'FailedCreate', message);
  }

  podDeleted(vmi: VirtualMachineInstance, pod: string): void {
    this.#normal(vmi, 'SuccessfulDelete', `Deleted virtual machine pod ${pod}`);
  }

  podNotDeleted(vmi: VirtualMachineInstance, pod: string, why: string): void {
    this.#warning(vmi, 'FailedDelete', `Virtual machine pod ${pod} cannot be deleted: ${why}`);
  }

  /** The readiness gate could not be written. */
  podNotPatched(vmi: VirtualMachineInstance, pod: string, why: string): void {
    this.#warning(vmi, 'FailedPodPatch', `The readiness gate of virtual machine pod ${pod} cannot be written: ${why}`);
  }

  /** Why the instance became Failed, or is not as its spec says; the reason is also in the status. */
  trouble(vmi: VirtualMachineInstance, { reason, message }: Trouble): void {
    this.#warning(vmi, reason, message);
  }

  /** What a plugged volume waits for, or that it is gone. */
  volume(vmi: VirtualMachineInstance, { warning, reason, message }: VolumeNews): void {
    if (warning) this.#warning(vmi, reason, message);
    else this.#normal(vmi, reason, message);
  }

  #normal(vmi: VirtualMachineInstance, reason: string, message: string): void {
    this.#recorder.normal(subjectOf(VirtualMachineInstances, vmi), reason, message);
  }

  #warning(vmi: VirtualMachineInstance, reason: string, message: string): void {
    this.#recorder.warning(subjectOf(VirtualMachineInstances, vmi), reason, message);
  }
}
