import { ConversionError } from '../errors.ts';
import type { DiskModel } from '../model.ts';
import { diskLetters } from '../names.ts';
import type { Disk, VmiSpec } from '../vmi.ts';
import { type IoThreadPlan, ioThreadPlan } from './io-threads.ts';
import type { ConversionOptions, DiskSource } from './options.ts';
import { pciAddress } from './pci-address.ts';

type Device = DiskModel['device'];

/** What disk, cdrom and lun have in common, as the wire has it. */
interface Target {
  bus?: string;
  readonly?: boolean;
  tray?: string;
  pciAddress?: string;
}

const DEFAULT_BUS = 'sata';
/** Buses that number their disks in one sequence, as the guest's kernel does. */
const BUS_PREFIX: Record<string, string> = { virtio: 'vd', sata: 'sd', scsi: 'sd', usb: 'sd' };

/** Part of a machine's storage that is decided once for all its disks. */
interface Machine {
  queues: number | undefined;
  threads: IoThreadPlan;
}

/** The spec's disks in their order, each with the image that this node made for its volume. */
export function diskModels(spec: VmiSpec, vcpus: number, options: Pick<ConversionOptions, 'disks'>): DiskModel[] {
  const used = new Set<string>();
  const machine = machineOf(spec, vcpus);
  return (spec.domain?.devices?.disks ?? []).flatMap((disk, index) => {
    const field = `spec.domain.devices.disks[${index}]`;
    const source = options.disks.get(disk.name);
    // A volume that is plugged in comes when it is there; the machine starts without.
    if (source === undefined && isHotpluggable(spec, disk.name)) return [];
    const isEmptyDrive = disk.cdrom !== undefined && volumeOf(spec, disk.name) === undefined;
    if (source === undefined && !isEmptyDrive)
      throw new ConversionError(`${field}.name`, `volume "${disk.name}" has no image on this node`);
    return [diskModel(disk, source, field, machine, used)];
  });
}

/**
 * One disk of the spec, to be plugged into a running machine.
 * @param used device names of the disks that the machine has, such as `sda`
 */
export function pluggedDiskModel(
  spec: VmiSpec,
  name: string,
  source: DiskSource,
  vcpus: number,
  used: Iterable<string>,
): DiskModel {
  const index = (spec.domain?.devices?.disks ?? []).findIndex((disk) => disk.name === name);
  const disk = spec.domain?.devices?.disks?.[index];
  if (disk === undefined) throw new ConversionError('spec.domain.devices.disks', `has no disk "${name}"`);
  const field = `spec.domain.devices.disks[${index}]`;
  const { queues } = machineOf(spec, vcpus);
  // The machine's I/O threads were counted when it was started.
  return diskModel(disk, source, field, { queues, threads: { count: 0, of: new Map() } }, new Set(used));
}

function machineOf(spec: VmiSpec, vcpus: number): Machine {
  return { queues: spec.domain?.devices?.blockMultiQueue ? vcpus : undefined, threads: ioThreadPlan(spec, vcpus) };
}

function volumeOf(spec: VmiSpec, name: string) {
  return spec.volumes?.find((volume) => volume.name === name);
}

function isHotpluggable(spec: VmiSpec, name: string): boolean {
  const volume = volumeOf(spec, name);
  return (volume?.persistentVolumeClaim ?? volume?.dataVolume)?.hotpluggable === true;
}

function diskModel(
  disk: Disk,
  source: DiskSource | undefined,
  field: string,
  machine: Machine,
  used: Set<string>,
): DiskModel {
  const { device, target, path } = targetOf(disk, source, field);
  const bus = target.bus || DEFAULT_BUS;
  if (target.pciAddress && bus !== 'virtio') {
    throw new ConversionError(`${path}.pciAddress`, 'is only possible for a disk on the virtio bus');
  }
  const cache = cacheOf(disk, source, field);
  const { dev, number } = freeTarget(bus, used, path);
  return {
    name: disk.name,
    device,
    source: source && { file: source.file, format: source.format, block: source.block === true },
    backing: source?.backing && { ...source.backing, block: source.backing.block === true },
    target: dev,
    scsiUnit: bus === 'scsi' ? number : undefined,
    bus,
    cache,
    // QEMU's native I/O never blocks only where a write needs no new space.
    io: disk.io || (cache === 'none' && (source?.block || source?.preallocated) ? 'native' : undefined),
    errorPolicy: disk.errorPolicy || 'stop',
    discard: device === 'cdrom' || source?.preallocated ? undefined : 'unmap',
    queues: bus === 'virtio' ? machine.queues : undefined,
    readonly: device === 'cdrom' ? target.readonly !== false : target.readonly === true,
    shareable: disk.shareable === true,
    serial: disk.serial || undefined,
    bootOrder: disk.bootOrder,
    tray: target.tray || undefined,
    blockSize: blockSize(disk, source, field),
    pciAddress: pciAddress(target.pciAddress, `${path}.pciAddress`),
    ioThreads: machine.threads.of.get(disk.name) ?? [],
  };
}

function targetOf(disk: Disk, source: DiskSource | undefined, field: string) {
  const given = (['disk', 'cdrom', 'lun'] as const).filter((device) => disk[device] !== undefined);
  if (given.length > 1) throw new ConversionError(field, `is ${given.join(' and ')} at once; choose one`);
  const device: Device = given[0] ?? 'disk';
  const target: Target = { ...disk[device] };
  const path = `${field}.${device}`;
  if (device === 'lun') {
    if (!source?.block) throw new ConversionError(path, `needs a block device, which volume "${disk.name}" is not`);
    if (target.bus !== 'scsi') throw new ConversionError(`${path}.bus`, 'must be scsi: commands are passed on by SCSI');
  }
  return { device, target, path };
}

function freeTarget(bus: string, used: Set<string>, path: string): { dev: string; number: number } {
  const prefix = BUS_PREFIX[bus];
  if (prefix === undefined) {
    throw new ConversionError(`${path}.bus`, `"${bus}" is not a bus; choose virtio, sata, scsi or usb`);
  }
  for (let number = 0; ; number++) {
    const dev = `${prefix}${diskLetters(number)}`;
    if (used.has(dev)) continue;
    used.add(dev);
    return { dev, number };
  }
}

function cacheOf(disk: Disk, source: DiskSource | undefined, field: string): string | undefined {
  // What others write at the same time must not be hidden by a cache of this node.
  if (disk.shareable) return 'none';
  if (disk.cache === 'none' && source?.cache === 'writethrough') {
    throw new ConversionError(
      `${field}.cache`,
      `is none, but the file system of volume "${disk.name}" takes no direct I/O; choose writethrough or leave it out`,
    );
  }
  return disk.cache || source?.cache;
}

function blockSize(disk: Disk, source: DiskSource | undefined, field: string): DiskModel['blockSize'] {
  const { custom, matchVolume } = disk.blockSize ?? {};
  if (custom !== undefined) return { logical: custom.logical, physical: custom.physical };
  if (matchVolume === undefined || matchVolume.enabled === false) return undefined;
  if (source?.blockSize === undefined) {
    throw new ConversionError(`${field}.blockSize.matchVolume`, `volume "${disk.name}" does not tell its block size`);
  }
  return source.blockSize;
}
