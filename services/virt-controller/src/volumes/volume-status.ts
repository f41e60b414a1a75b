import { isDeepStrictEqual } from 'node:util';
import {
  claimNameOf,
  findCondition,
  isHotpluggable,
  type PersistentVolumeClaim,
  type Pod,
  REASONS,
  type VirtualMachineInstance,
  type Volume,
  type VolumeStatus,
  volumeModeOf,
} from '@yagura/api';

type ClaimInfo = NonNullable<VolumeStatus['persistentVolumeClaimInfo']>;

const PREALLOCATION = 'cdi.kubevirt.io/storage.preallocation';
/** From here on virt-handler has the say, until the volume has left the pod. */
const PHASES_OF_HANDLER: readonly (string | undefined)[] = ['MountedToPod', 'Ready'];

export interface VolumesView {
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** Attachment pods of the launcher. */
  attachments: readonly Pod[];
}

/** One entry a volume, sorted by name; virt-handler completes them. The same list when nothing differs. */
export function volumeStatuses(vmi: VirtualMachineInstance, view: VolumesView): VolumeStatus[] {
  const known = vmi.status?.volumeStatus ?? [];
  const volumes = vmi.spec.volumes ?? [];
  const present = volumes.map((volume) => {
    const before = known.find(({ name }) => name === volume.name) ?? { name: volume.name, target: '' };
    return described(before, volume, view);
  });
  const leaving = known
    .filter(({ name }) => !volumes.some((volume) => volume.name === name))
    .flatMap((entry) => leavingStatus(entry, view));
  const after = [...present, ...leaving].sort((a, b) => (a.name < b.name ? -1 : 1));
  return isDeepStrictEqual(after, known) ? known : after;
}

function described(before: VolumeStatus, volume: Volume, view: VolumesView): VolumeStatus {
  const claim = view.claims.get(claimNameOf(volume) ?? '');
  const info = claim ? { persistentVolumeClaimInfo: claimInfo(claim) } : {};
  if (!isHotpluggable(volume)) return { ...before, ...info };
  const pod = attachmentOf(volume, view.attachments);
  const hotplugVolume = pod
    ? { attachPodName: pod.metadata.name, attachPodUID: pod.metadata.uid ?? '' }
    : (before.hotplugVolume ?? {});
  const entry = { ...before, ...info, hotplugVolume };
  return PHASES_OF_HANDLER.includes(before.phase) ? entry : { ...entry, ...phaseOf(before, volume, claim, pod) };
}

/** The attachment pod of a volume; one for another claim of the same volume is not it. */
export function attachmentOf(volume: Volume, attachments: readonly Pod[]): Pod | undefined {
  const claimName = claimNameOf(volume);
  return attachments.find(({ spec }) =>
    spec.volumes?.some(
      ({ name, persistentVolumeClaim }) => name === volume.name && persistentVolumeClaim?.claimName === claimName,
    ),
  );
}

function phaseOf(
  before: VolumeStatus,
  volume: Volume,
  claim: PersistentVolumeClaim | undefined,
  pod: Pod | undefined,
): Pick<VolumeStatus, 'phase' | 'reason' | 'message'> {
  const name = claimNameOf(volume) ?? '';
  if (!claim) {
    return {
      phase: 'Pending',
      reason: REASONS.failedPvcNotFound,
      message: `PVC ${name} does not exist, waiting for it`,
    };
  }
  if (pod?.status?.phase === 'Running') {
    // What virt-handler has found wrong with it is said by virt-handler.
    if (before.phase === 'AttachedToNode') return {};
    const message = `Created hotplug attachment pod ${pod.metadata.name}, for volume ${volume.name}`;
    return { phase: 'AttachedToNode', reason: 'SuccessfulCreate', message };
  }
  const trouble = pod && troubleOf(pod);
  if (claim.status?.phase !== 'Bound') {
    const message = trouble ?? `PVC is in phase ${claim.status?.phase ?? 'Pending'}`;
    return { phase: 'Pending', reason: 'PVCNotReady', message };
  }
  if (!pod) return { phase: 'Bound', reason: 'MissingAttachmentPod', message: 'the attachment pod does not exist yet' };
  return {
    phase: 'Bound',
    reason: 'PVCNotReady',
    message: trouble ?? `attachment pod ${pod.metadata.name} is starting`,
  };
}

/** What keeps the attachment pod from running, in the words of the scheduler or the kubelet. */
function troubleOf(pod: Pod): string | undefined {
  const scheduled = findCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return scheduled.message;
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting;
  return waiting?.message ? `${waiting.reason}: ${waiting.message}` : undefined;
}

/** A volume that was taken out of the spec stays in the list until its attachment pod has gone. */
function leavingStatus(entry: VolumeStatus, { attachments }: VolumesView): VolumeStatus[] {
  if (entry.hotplugVolume === undefined) return [];
  if (entry.phase === 'UnMountedFromPod') {
    return attachments.some(({ metadata }) => metadata.name === entry.hotplugVolume?.attachPodName) ? [entry] : [];
  }
  if (entry.phase === 'Detaching') return [entry];
  const message = `Volume ${entry.name} is being taken out of the guest`;
  return [{ ...entry, phase: 'Detaching', reason: 'VolumeDetaching', message }];
}

/** What of a claim matters to the guest's storage. */
function claimInfo(claim: PersistentVolumeClaim): ClaimInfo {
  const { spec, status } = claim;
  return {
    claimName: claim.metadata.name,
    accessModes: status?.accessModes ?? spec?.accessModes ?? [],
    volumeMode: volumeModeOf(claim),
    ...(status?.capacity ? { capacity: status.capacity } : {}),
    ...(spec?.resources?.requests ? { requests: spec.resources.requests } : {}),
    ...(claim.metadata.annotations?.[PREALLOCATION] === 'true' ? { preallocated: true } : {}),
  };
}
