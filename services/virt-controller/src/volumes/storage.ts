import {
  type ClaimModes,
  claimNameOf,
  type DataVolumeState,
  isFinal,
  isHotpluggable,
  isOnNode,
  type NewCondition,
  type PersistentVolumeClaim,
  REASONS,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
  type Volume,
  volumeModeOf,
} from '@yagura/api';
import type { Trouble } from '../vmi/image-pull.ts';

/** What was found under the name of a DataVolume. */
export type DataVolumeView = DataVolumeState | 'missing' | 'no-cdi';

/** The claims and DataVolumes that an instance names, as they are now. */
export interface StorageView {
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
  dataVolumes: ReadonlyMap<string, DataVolumeView>;
}

export interface StorageReadiness {
  /** Whether a launcher pod may be made. */
  ready: boolean;
  modes: ClaimModes;
  /** What has to come from outside. */
  trouble?: Trouble;
  /** Absent without DataVolumes. */
  dataVolumesReady?: NewCondition;
}

/** Whether the storage of an instance is there. Volumes that are plugged in later are not waited for. */
export function storageReadiness(vmi: VirtualMachineInstance, view: StorageView): StorageReadiness {
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => !isHotpluggable(volume));
  const namespace = vmi.metadata.namespace ?? '';
  const troubles = volumes.flatMap((volume) => troubleOf(volume, namespace, view) ?? []);
  const pending = volumes.flatMap(({ dataVolume }) =>
    dataVolume && !isThere(dataVolume.name, view) ? [dataVolume.name] : [],
  );
  const [trouble] = troubles;
  return {
    ready: troubles.length === 0 && pending.length === 0,
    modes: new Map([...view.claims].map(([name, claim]) => [name, volumeModeOf(claim)])),
    ...(trouble ? { trouble } : {}),
    ...(volumes.some(({ dataVolume }) => dataVolume) ? { dataVolumesReady: dataVolumesReady(pending, trouble) } : {}),
  };
}

/** Whether a DataVolume that waits for its first consumer is being filled: its consumer is the launcher pod. */
export function isProvisioning(vmi: VirtualMachineInstance, claims: StorageView['claims']): boolean {
  if (isOnNode(vmi) || isFinal(vmi)) return false;
  return (vmi.spec.volumes ?? []).some(
    (volume) =>
      volume.dataVolume && !isHotpluggable(volume) && claims.get(volume.dataVolume.name)?.status?.phase === 'Pending',
  );
}

/** A claim outlives the DataVolume that filled it, and may have been there before. */
function isThere(name: string, { claims, dataVolumes }: StorageView): boolean {
  const state = dataVolumes.get(name);
  if (state === 'ready') return claims.has(name);
  return (state === 'missing' || state === 'no-cdi') && claims.has(name);
}

function troubleOf(volume: Volume, namespace: string, { claims, dataVolumes }: StorageView): Trouble | undefined {
  const name = claimNameOf(volume);
  if (name === undefined) return undefined;
  if (volume.dataVolume === undefined) {
    if (claims.has(name)) return undefined;
    const message = `PVC ${namespace}/${name} of volume "${volume.name}" does not exist, waiting for it to appear`;
    return { reason: REASONS.failedPvcNotFound, message };
  }
  const state = dataVolumes.get(name);
  if (state === 'error') {
    return { reason: 'FailedDataVolumeImport', message: `DataVolume ${name} of volume "${volume.name}" has failed` };
  }
  if (claims.has(name) || (state !== 'missing' && state !== 'no-cdi')) return undefined;
  const why = state === 'no-cdi' ? ': CDI, which makes DataVolumes, is not installed' : '';
  return {
    reason: REASONS.failedPvcNotFound,
    message: `neither DataVolume nor PVC ${namespace}/${name} of volume "${volume.name}" exists, waiting for it to appear${why}`,
  };
}

function dataVolumesReady(pending: readonly string[], trouble: Trouble | undefined): NewCondition {
  const type = VMI_CONDITIONS.dataVolumesReady;
  if (pending.length === 0) {
    return { type, status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and not running" };
  }
  const waiting = `Not all of the VMI's DVs are ready: waiting for ${pending.join(', ')}`;
  return {
    type,
    status: 'False',
    reason: 'NotAllDVsReady',
    message: trouble ? `${waiting} (${trouble.message})` : waiting,
    messageChange: 'update',
  };
}
