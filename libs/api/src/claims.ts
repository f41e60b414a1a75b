import type { PersistentVolumeClaim } from './kubernetes.ts';
import type { Volume } from './types.ts';

/** How a claim reaches a pod: mounted as a filesystem, or as the node of a block device. */
export type VolumeMode = 'Filesystem' | 'Block';

/** Name of the claim behind a volume; undefined for one without. A DataVolume's claim has its name. */
export function claimNameOf(volume: Volume): string | undefined {
  const claim = volume.persistentVolumeClaim ?? volume.ephemeral?.persistentVolumeClaim ?? volume.memoryDump;
  return claim?.claimName ?? volume.dataVolume?.name;
}

/** Whether it comes and goes while the guest runs, by a pod of its own rather than with the launcher's. */
export function isHotpluggable(volume: Volume): boolean {
  return (volume.persistentVolumeClaim ?? volume.dataVolume)?.hotpluggable === true;
}

export function volumeModeOf(claim: PersistentVolumeClaim): VolumeMode {
  return claim.spec?.volumeMode === 'Block' ? 'Block' : 'Filesystem';
}
