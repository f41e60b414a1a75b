import {
  claimNameOf,
  dataVolumeState,
  type Pod,
  REASONS,
  renderAttachmentPod,
  type VirtualMachineInstance,
} from '@yagura/api';
import {
  type EventRecorder,
  formatKey,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  KubeError,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { refusalWords } from '../refusal-words.ts';
import { DataVolumes, Pods, VirtualMachineInstances } from '../resources.ts';
import type { Trouble } from '../vmi/image-pull.ts';
import { planAttachments } from './attachments.ts';
import type { DataVolumeView, StorageView } from './storage.ts';

interface InstanceVolumesOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  launcherImage: string;
}

/** The storage of instances: what is there of it, and the pods that bring volumes to running guests. */
export class InstanceVolumes {
  readonly #options: InstanceVolumesOptions;

  constructor(options: InstanceVolumesOptions) {
    this.#options = options;
  }

  /** @param starting whether DataVolumes matter, which nobody tells us about: there may be no such resource */
  async view(vmi: VirtualMachineInstance, starting: boolean, signal: AbortSignal): Promise<StorageView> {
    const { namespace = '' } = vmi.metadata;
    const volumes = vmi.spec.volumes ?? [];
    const claims = volumes.flatMap((volume) => {
      const name = claimNameOf(volume);
      const claim = name ? this.#options.caches.claims.store.get(formatKey({ namespace, name })) : undefined;
      return claim ? [[claim.metadata.name, claim] as const] : [];
    });
    const dataVolumes = new Map<string, DataVolumeView>();
    for (const { dataVolume } of starting ? volumes : []) {
      if (dataVolume) dataVolumes.set(dataVolume.name, await this.#dataVolume(namespace, dataVolume.name, signal));
    }
    return { claims: new Map(claims), dataVolumes };
  }

  async #dataVolume(namespace: string, name: string, signal: AbortSignal): Promise<DataVolumeView> {
    try {
      return dataVolumeState(await this.#options.client.get(DataVolumes, { namespace, name }, {}, signal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The server names the object that it looked for, if it knows of such objects.
      return error instanceof KubeError && error.details.name ? 'missing' : 'no-cdi';
    }
  }

  attachmentsOf(launcher: Pod | undefined): Pod[] {
    const uid = launcher?.metadata.uid;
    return uid ? this.#options.caches.attachments.store.byIndex('byOwner', uid) : [];
  }

  /** Makes and removes attachment pods; answers those that there are afterwards, and why one could not be made. */
  async attach(
    vmi: VirtualMachineInstance,
    launcher: Pod | undefined,
    claims: StorageView['claims'],
    signal: AbortSignal,
  ): Promise<{ attachments: Pod[]; trouble?: Trouble }> {
    const { client, caches, events, launcherImage } = this.#options;
    const plan = planAttachments({ vmi, launcher, claims, attachments: this.attachmentsOf(launcher) });
    const subject = subjectOf(VirtualMachineInstances, vmi);
    let trouble: Trouble | undefined;
    for (const { volume, mode } of launcher ? plan.create : []) {
      const pod = renderAttachmentPod(vmi, launcher as Pod, volume, mode, caches.config, launcherImage);
      const { name } = pod.metadata;
      try {
        caches.attachments.observe(await client.create(Pods, pod, {}, signal));
        events.normal(subject, 'SuccessfulCreate', `Created attachment pod ${name}`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (!(error instanceof KubeError) || error.code >= 500 || error.code === 429) throw error;
        const message = `Error creating attachment pod ${name}: ${refusalWords(error.message)}`;
        events.warning(subject, 'FailedCreate', message);
        trouble ??= { reason: REASONS.failedHotplugSync, message };
      }
    }
    for (const { metadata } of plan.remove) {
      const { namespace = '', name, uid } = metadata;
      try {
        await client.delete(Pods, { namespace, name }, uid ? { preconditions: { uid } } : {}, signal);
        events.normal(subject, 'SuccessfulDelete', `Deleted attachment pod ${name}`);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return { attachments: this.attachmentsOf(launcher), ...(trouble ? { trouble } : {}) };
  }
}
