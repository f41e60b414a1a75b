import { fromJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type ClusterConfig,
  claimNameOf,
  isHotpluggable,
  launcherVmi,
  quantityValue,
  type VirtualMachineInstance,
} from '@yagura/api';
import { VirtualMachineInstanceSchema, type VolumeOptionsSchema } from '@yagura/contracts';

/** The instance as its launcher takes it. */
export function vmiMessage(vmi: VirtualMachineInstance) {
  return fromJson(VirtualMachineInstanceSchema, launcherVmi(vmi) as unknown as JsonValue, {
    ignoreUnknownFields: true,
  });
}

/**
 * What the launcher must know of volumes beyond the spec.
 * @param hotplug where plugged claims are in its container, by volume
 */
export function volumeOptions(
  vmi: VirtualMachineInstance,
  { claimImages }: ClusterConfig,
  hotplug: ReadonlyMap<string, string>,
): MessageInitShape<typeof VolumeOptionsSchema> {
  return {
    claims: capacities(vmi),
    reservedBytes: BigInt(claimImages.reservedBytes),
    toleratedShortagePercent: claimImages.shortagePercent,
    hotplug: [...hotplug].map(([volume, path]) => ({ volume, path })),
  };
}

function capacities(vmi: VirtualMachineInstance): { volume: string; capacityBytes: bigint }[] {
  return (vmi.status?.volumeStatus ?? []).flatMap(({ name, persistentVolumeClaimInfo: info }) => {
    const capacity = info?.capacity?.['storage'] ?? info?.requests?.['storage'];
    return capacity === undefined ? [] : [{ volume: name, capacityBytes: quantityValue(capacity) }];
  });
}

/** Volumes of claims that virt-controller has not described yet: their size is not known. */
export function undescribedClaims(vmi: VirtualMachineInstance): string[] {
  const known = vmi.status?.volumeStatus ?? [];
  return (vmi.spec.volumes ?? [])
    .filter((volume) => claimNameOf(volume) !== undefined && !isHotpluggable(volume))
    .map(({ name }) => name)
    .filter((name) => !known.some((status) => status.name === name && status.persistentVolumeClaimInfo !== undefined));
}
