import type { VirtualMachineInstance } from '@yagura/api';
import { type EventRecorder, subjectOf } from '@yagura/kube';
import type { VolumePhase } from './hotplug-status.ts';
import { CRASHES, DELETED, type RunEnd } from './outcome.ts';
import { Vmis } from './resources.ts';

/** The events of virt-handler, with the reasons that clients know. */
export class VmiEvents {
  readonly #recorder: Pick<EventRecorder, 'normal' | 'warning'>;

  constructor(recorder: Pick<EventRecorder, 'normal' | 'warning'>) {
    this.#recorder = recorder;
  }

  created(vmi: VirtualMachineInstance): void {
    this.#recorder.normal(subjectOf(Vmis, vmi), 'Created', 'VirtualMachineInstance defined.');
  }

  started(vmi: VirtualMachineInstance): void {
    this.#recorder.normal(subjectOf(Vmis, vmi), 'Started', 'VirtualMachineInstance started.');
  }

  stopped(vmi: VirtualMachineInstance, end: RunEnd): void {
    const subject = subjectOf(Vmis, vmi);
    const text = `The VirtualMachineInstance ${whatHappened(end)}.`;
    if (end.phase === 'Succeeded' || end.reason === DELETED) this.#recorder.normal(subject, 'Stopped', text);
    else this.#recorder.warning(subject, 'Stopped', text);
  }

  /** Told before the end that follows from it. */
  guestPanicked(vmi: VirtualMachineInstance, message: string): void {
    this.#recorder.warning(subjectOf(Vmis, vmi), 'GuestPanicked', `The guest panicked: ${message}`);
  }

  shuttingDown(vmi: VirtualMachineInstance): void {
    this.#recorder.normal(subjectOf(Vmis, vmi), 'ShuttingDown', 'Signaled Graceful Shutdown');
  }

  deleted(vmi: VirtualMachineInstance): void {
    this.#recorder.normal(subjectOf(Vmis, vmi), 'Deleted', 'Signaled Deletion');
  }

  /** @param changes such as `plug blue` */
  interfacesChanged(vmi: VirtualMachineInstance, changes: string): void {
    this.#recorder.normal(
      subjectOf(Vmis, vmi),
      'NicHotplug',
      `The interfaces of the running guest were changed: ${changes}.`,
    );
  }

  /** A plugged volume has come further, or does not. */
  volume(vmi: VirtualMachineInstance, { reason, message }: VolumePhase): void {
    const subject = subjectOf(Vmis, vmi);
    if (reason === 'HotplugFailed') this.#recorder.warning(subject, reason, message);
    else this.#recorder.normal(subject, reason, message);
  }

  /** On the node: the instance of that guest may be another one by now. */
  staleGuestKilled(node: string, podUid: string): void {
    const subject = { apiVersion: 'v1', kind: 'Node', name: node, uid: node };
    const message = `The guest in pod ${podUid} was killed: its pod had been removed while this node could not be reached, so it may run elsewhere.`;
    this.#recorder.warning(subject, 'StaleGuestKilled', message);
  }

  /** On the node: guests with the CPU model of their host had better not come here. */
  hostModelIsObsolete(node: string, model: string): void {
    const subject = { apiVersion: 'v1', kind: 'Node', name: node, uid: node };
    const message = `This node has the host-model CPU ${model}, which is among obsoleteCPUModels`;
    this.#recorder.warning(subject, 'HostModelIsObsolete', message);
  }

  syncFailed(vmi: VirtualMachineInstance, message: string): void {
    this.#recorder.warning(subjectOf(Vmis, vmi), 'SyncFailed', message);
  }

  /** The time is part of the text, so that a virt-handler that tells of the same restart again finds the event that is there. */
  launcherRestarted(vmi: VirtualMachineInstance, at: Date): void {
    const message = `The launcher was restarted inside its pod at ${at.toISOString()} and has picked the running domain up again.`;
    this.#recorder.warning(subjectOf(Vmis, vmi), 'LauncherRestarted', message);
  }

  libvirtRestarted(vmi: VirtualMachineInstance, at: Date): void {
    const message = `The libvirt daemon was lost and is back since ${at.toISOString()}; the domain was not touched.`;
    this.#recorder.warning(subjectOf(Vmis, vmi), 'LibvirtRestarted', message);
  }

  /** SSH keys and passwords are in the guest, or why they are not. */
  accessCredentials(vmi: VirtualMachineInstance, problem: string | undefined): void {
    const subject = subjectOf(Vmis, vmi);
    if (problem === undefined) {
      this.#recorder.normal(subject, 'AccessCredentialsSyncSuccess', 'Access credentials sync successful.');
    } else {
      this.#recorder.warning(subject, 'AccessCredentialsSyncFailed', `Access credentials resync failed: ${problem}`);
    }
  }

  /** QEMU has stopped the guest because its storage failed; `volumes` as far as they are known. */
  ioError(vmi: VirtualMachineInstance, volumes: string): void {
    const where = volumes === '' ? '' : ` at the volume: ${volumes}`;
    this.#recorder.warning(subjectOf(Vmis, vmi), 'IOerror', `VM Paused due to IO error${where}`);
  }

  /** A probe through the guest agent that failed; what it said. */
  guestAgentPingFailed(vmi: VirtualMachineInstance, message: string): void {
    this.#recorder.warning(subjectOf(Vmis, vmi), 'GuestAgentPingFailed', `The guest agent failed a probe: ${message}`);
  }

  /** The guest agent did not freeze or thaw the file systems. */
  freezeFailed(vmi: VirtualMachineInstance, what: 'freeze' | 'unfreeze', message: string): void {
    this.#recorder.warning(subjectOf(Vmis, vmi), 'FreezeError', `${what} failed: ${message}`);
  }

  /** `Paused`, `Unpaused`, `Reset` or `SoftRebooted`, after a request of a client. */
  request(vmi: VirtualMachineInstance, reason: string, message: string): void {
    this.#recorder.normal(subjectOf(Vmis, vmi), reason, message);
  }
}

/** A guest that was killed has not crashed, whoever is to blame; the launcher's sentence begins with that word. */
function whatHappened({ phase, reason, message }: RunEnd): string {
  if (reason === DELETED) return 'was deleted before its guest ran';
  if (message.startsWith('killed')) return `was ${message}`;
  if (phase === 'Succeeded') return `was shut down: ${message}`;
  return `${CRASHES.includes(reason ?? '') ? 'crashed' : 'failed'}: ${message}`;
}
