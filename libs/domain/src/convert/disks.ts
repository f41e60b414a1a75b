import { ConversionError } from '../errors.ts';
import type { DiskModel } from '../model.ts';
import { diskLetters } from '../names.ts';
import type { Disk, VmiSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';

type Device = DiskModel['device'];
/** What disk, cdrom and lun have in common, as the wire has it. */
interface Target {
  bus?: string;
  readonly?: boolean;
  tray?: string;
}

const DEFAULT_BUS = 'sata';
/** Buses that number their disks in one sequence, as the guest's kernel does. */
const BUS_PREFIX: Record<string, string> = { virtio: 'vd', sata: 'sd', scsi: 'sd', usb: 'sd' };

/** The spec's disks in their order, each with the image that this node made for its volume. */
export function diskModels(spec: VmiSpec, vcpus: number, options: ConversionOptions): DiskModel[] {
  const used = new Map<string, number>();
  const devices = spec.domain?.devices;
  return (devices?.disks ?? []).map((disk, index) => {
    const field = `spec.domain.devices.disks[${index}]`;
    const { device, target, path } = targetOf(disk, field);
    const bus = target.bus || DEFAULT_BUS;
    const prefix = BUS_PREFIX[bus];
    if (prefix === undefined) {
      throw new ConversionError(`${path}.bus`, `"${bus}" is not a bus; choose virtio, sata, scsi or usb`);
    }
    const number = used.get(prefix) ?? 0;
    used.set(prefix, number + 1);
    const source = options.disks.get(disk.name);
    if (source === undefined)
      throw new ConversionError(`${field}.name`, `volume "${disk.name}" has no image on this node`);
    return {
      name: disk.name,
      device,
      source: { file: source.file, format: source.format },
      backing: source.backing,
      target: `${prefix}${diskLetters(number)}`,
      bus,
      cache: disk.shareable ? 'none' : disk.cache || source.cache,
      io: disk.io || undefined,
      errorPolicy: disk.errorPolicy || 'stop',
      discard: device === 'cdrom' ? undefined : 'unmap',
      queues: bus === 'virtio' && devices?.blockMultiQueue ? vcpus : undefined,
      readonly: device === 'cdrom' ? target.readonly !== false : target.readonly === true,
      shareable: disk.shareable === true,
      serial: disk.serial || undefined,
      bootOrder: disk.bootOrder,
      tray: target.tray || undefined,
      blockSize: blockSize(disk),
    };
  });
}

function targetOf(disk: Disk, field: string): { device: Device; target: Target; path: string } {
  const given = (['disk', 'cdrom', 'lun'] as const).filter((device) => disk[device] !== undefined);
  if (given.length > 1) throw new ConversionError(field, `is ${given.join(' and ')} at once; choose one`);
  const device = given[0] ?? 'disk';
  if (device === 'lun') throw new ConversionError(`${field}.lun`, 'needs a block volume, which is not supported yet');
  const target: Target = { ...disk[device] };
  return { device, target, path: `${field}.${device}` };
}

function blockSize(disk: Disk): DiskModel['blockSize'] {
  const custom = disk.blockSize?.custom;
  return custom === undefined ? undefined : { logical: custom.logical, physical: custom.physical };
}
