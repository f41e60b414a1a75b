import {
  attachmentPodName,
  claimNameOf,
  isFinal,
  isHotpluggable,
  isPodDown,
  type PersistentVolumeClaim,
  type Pod,
  type VirtualMachineInstance,
  type Volume,
  type VolumeMode,
  volumeModeOf,
} from '@yagura/api';

export interface AttachmentsWorld {
  vmi: VirtualMachineInstance;
  /** The launcher pod that runs the guest, or will. */
  launcher: Pod | undefined;
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** Attachment pods of the launcher. */
  attachments: readonly Pod[];
}

export interface AttachmentsPlan {
  create: { volume: Volume; mode: VolumeMode }[];
  remove: Pod[];
}

/** Which attachment pods are to come and to go. With the launcher pod they go by themselves. */
export function planAttachments({ vmi, launcher, claims, attachments }: AttachmentsWorld): AttachmentsPlan {
  const ending = isFinal(vmi) || vmi.metadata.deletionTimestamp !== undefined;
  if (!launcher?.spec.nodeName || launcher.metadata.deletionTimestamp || isPodDown(launcher.status?.phase) || ending) {
    return { create: [], remove: [] };
  }
  const wanted = (vmi.spec.volumes ?? []).filter(isHotpluggable);
  const names = new Set(wanted.map((volume) => attachmentPodName(launcher, volume)));
  const alive = attachments.filter(({ metadata }) => !metadata.deletionTimestamp);
  return {
    create: wanted.flatMap((volume) => {
      const claim = claims.get(claimNameOf(volume) ?? '');
      const there = attachments.some(({ metadata }) => metadata.name === attachmentPodName(launcher, volume));
      return claim === undefined || there ? [] : [{ volume, mode: volumeModeOf(claim) }];
    }),
    // One that ended is made anew under its name; one that is not wanted waits until its volume has left the launcher.
    remove: alive.filter((pod) =>
      names.has(pod.metadata.name) ? isPodDown(pod.status?.phase) : !isInUse(vmi, pod.metadata.name),
    ),
  };
}

function isInUse({ status }: VirtualMachineInstance, name: string): boolean {
  const entry = status?.volumeStatus?.find(({ hotplugVolume }) => hotplugVolume?.attachPodName === name);
  return entry !== undefined && entry.phase !== 'UnMountedFromPod';
}
