import { ANNOTATIONS } from '../annotations.ts';
import { claimNameOf, isHotpluggable } from '../claims.ts';
import type {
  Disk,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  VirtualMachineStatus,
  Volume,
} from '../types.ts';

type VolumeRequest = NonNullable<VirtualMachineStatus['volumeRequests']>[number];

/** A spec without the volumes that come and go while the guest runs, and without their disks. */
export function withoutPlugged(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const names = new Set((spec.volumes ?? []).filter(isHotpluggable).map(({ name }) => name));
  return names.size === 0 ? spec : without(spec, (name) => names.has(name));
}

/** Names of the volumes that were plugged into the instance alone, and are not the virtual machine's. */
export function ephemeralVolumes({ metadata }: VirtualMachineInstance): string[] {
  return (metadata.annotations?.[ANNOTATIONS.ephemeralHotplugVolumes] ?? '').split(',').filter(Boolean);
}

/** The annotation's value for these names. */
export function ephemeralVolumesText(names: readonly string[]): string {
  return [...new Set(names)].join(',');
}

/**
 * The spec of a running instance with the plugged volumes of its template. A volume that changes its claim goes first,
 * and one that is still being taken out is waited for: then `complete` is false.
 */
export function followPlugged(
  vmi: VirtualMachineInstance,
  template: VirtualMachineInstanceSpec,
): { spec: VirtualMachineInstanceSpec; complete: boolean } {
  const own = ephemeralVolumes(vmi);
  const wanted = (template.volumes ?? []).filter(isHotpluggable);
  const has = vmi.spec.volumes ?? [];
  const removed = has.filter(
    (volume) =>
      isHotpluggable(volume) &&
      !own.includes(volume.name) &&
      !wanted.some((one) => one.name === volume.name && claimNameOf(one) === claimNameOf(volume)),
  );
  const missing = wanted.filter(({ name }) => !has.some((volume) => volume.name === name));
  const leaving = (name: string) => vmi.status?.volumeStatus?.some((status) => status.name === name) === true;
  const added = missing.filter(({ name }) => !leaving(name));
  const left = removed.length === 0 ? vmi.spec : without(vmi.spec, (name) => removed.some((one) => one.name === name));
  const spec = added.reduce((result, volume) => withVolume(result, volume, diskOf(template, volume.name)), left);
  const replaced = wanted.some(({ name }) => removed.some((volume) => volume.name === name));
  return { spec, complete: added.length === missing.length && !replaced };
}

/** The virtual machine with what was asked for by addvolume and removevolume in its template; the same object when all is. */
export function withVolumeRequests(vm: VirtualMachine): VirtualMachine {
  const before = vm.spec.template.spec;
  const after = openVolumeRequests(vm).reduce((spec, { addVolumeOptions: add, removeVolumeOptions: remove }) => {
    if (add) return withVolume(spec, pluggedVolume(add.name, add.volumeSource), { ...add.disk, name: add.name });
    return remove ? without(spec, (name) => name === remove.name) : spec;
  }, before);
  if (after === before) return vm;
  return { ...vm, spec: { ...vm.spec, template: { ...vm.spec.template, spec: after } } };
}

/** Those that the template does not reflect yet. */
export function openVolumeRequests({ spec, status }: VirtualMachine): VolumeRequest[] {
  const there = (name: string | undefined) =>
    spec.template.spec.volumes?.some((volume) => volume.name === name) === true;
  return (status?.volumeRequests ?? []).filter(({ addVolumeOptions: add, removeVolumeOptions: remove }) =>
    add ? !there(add.name) : there(remove?.name),
  );
}

/** A volume of the kind that may be plugged in. */
export function pluggedVolume(name: string, source: Pick<Volume, 'persistentVolumeClaim' | 'dataVolume'>): Volume {
  const { persistentVolumeClaim, dataVolume } = source;
  if (persistentVolumeClaim) return { name, persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } };
  return { name, dataVolume: { name: dataVolume?.name ?? '', hotpluggable: true } };
}

export function withVolume(spec: VirtualMachineInstanceSpec, volume: Volume, disk: Disk): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  const shown = devices.disks?.some(({ name }) => name === disk.name) === true;
  return {
    ...spec,
    volumes: [...(spec.volumes ?? []), volume],
    domain: {
      ...spec.domain,
      devices: { ...devices, disks: shown ? (devices.disks ?? []) : [...(devices.disks ?? []), disk] },
    },
  };
}

/** Both the volumes and the disks of these names are left out. */
export function without(
  spec: VirtualMachineInstanceSpec,
  isOut: (name: string) => boolean,
): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  return {
    ...spec,
    volumes: (spec.volumes ?? []).filter(({ name }) => !isOut(name)),
    domain: {
      ...spec.domain,
      devices: { ...devices, disks: (devices.disks ?? []).filter(({ name }) => !isOut(name)) },
    },
  };
}

/** A running machine takes disks on scsi and virtio alone. */
function diskOf(spec: VirtualMachineInstanceSpec, name: string): Disk {
  return spec.domain.devices.disks?.find((disk) => disk.name === name) ?? { name, disk: { bus: 'scsi' } };
}
