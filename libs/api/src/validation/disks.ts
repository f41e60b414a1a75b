import type { ClusterConfig } from '../config.ts';
import type { Disk, VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { DISK_BUSES, DISK_CACHES, DISK_ERROR_POLICIES, DISK_IO_MODES } from '../words.ts';
import { DNS_LABEL_RULE, isDnsLabel, isPciAddress } from './names.ts';
import { list, type Report } from './report.ts';

const SERIAL = /^[A-Za-z0-9_.+-]{0,256}$/;
const MIN_BLOCK = 512;
const MAX_BLOCK = 2_097_152;

export function validateDisks(
  spec: VirtualMachineInstanceSpec,
  { featureGates }: ClusterConfig,
  at: string,
  report: Report,
): void {
  const disks = spec.domain.devices.disks ?? [];
  const path = `${at}.domain.devices.disks`;
  report.unique(
    disks.map(({ name }, index) => ({ field: `${path}[${index}].name`, value: name })),
    'name',
  );
  disks.forEach((disk, index) => {
    const field = `${path}[${index}]`;
    if (!isDnsLabel(disk.name)) report.invalid(`${field}.name`, `is "${disk.name}"; it ${DNS_LABEL_RULE}`);
    const volume = spec.volumes?.find(({ name }) => name === disk.name);
    // A drive without a disc, which can be put in later.
    const emptyDrive = disk.cdrom !== undefined && featureGates.has('DeclarativeHotplugVolumes');
    if (!volume && !emptyDrive)
      report.invalid(`${field}.name`, `is "${disk.name}", but ${at}.volumes has no volume of that name`);
    validateTarget(disk, volume, field, report);
    validateVirtioOnly(disk, field, report);
    validateTuning(disk, field, report);
  });
  validateBootOrder(spec, at, report);
}

function validateTarget(disk: Disk, volume: Volume | undefined, field: string, report: Report): void {
  const given = (['disk', 'cdrom', 'lun'] as const).filter((kind) => disk[kind] !== undefined);
  if (given.length > 1) report.invalid(field, `is ${list(given).replace(' or ', ' and ')} at once; choose one`);
  const kind = given[0];
  if (!kind) return;
  const target = disk[kind];
  const bus: string | undefined = target?.bus;
  if (bus === 'ide') {
    report.invalid(`${field}.${kind}.bus`, `is "ide": the IDE bus is not supported; choose ${list(DISK_BUSES)}`);
  } else {
    report.oneOf(`${field}.${kind}.bus`, bus, DISK_BUSES);
  }
  if (kind === 'cdrom' && bus === 'virtio') {
    report.invalid(`${field}.cdrom.bus`, 'is "virtio", on which there are no CD-ROMs; choose sata, scsi or usb');
  }
  if (kind === 'disk' && disk.disk?.readonly && (bus === undefined || bus === 'sata')) {
    report.invalid(
      `${field}.disk.readonly`,
      'is true, but a hard disk on the sata bus cannot be read-only; use another bus or a cdrom',
    );
  }
  if (kind === 'cdrom') report.oneOf(`${field}.cdrom.tray`, disk.cdrom?.tray, ['open', 'closed']);
  if (kind === 'lun' && bus !== undefined && bus !== 'scsi') {
    report.invalid(`${field}.lun.bus`, `is "${bus}"; commands are passed on by scsi alone`);
  }
  if (kind === 'lun' && volume && !volume.persistentVolumeClaim && !volume.dataVolume) {
    report.invalid(`${field}.lun`, `needs a persistentVolumeClaim or dataVolume, which volume "${disk.name}" is not`);
  }
}

/** What is only there on the virtio bus. */
function validateVirtioOnly(disk: Disk, field: string, report: Report): void {
  const virtio = disk.disk?.bus === 'virtio';
  if (disk.dedicatedIOThread && !virtio) {
    report.notSupported(`${field}.dedicatedIOThread`, 'is only possible for a disk on the virtio bus');
  }
  const address = disk.disk?.pciAddress;
  if (!address) return;
  if (!virtio) report.invalid(`${field}.disk.pciAddress`, 'is only possible for a disk on the virtio bus');
  if (!isPciAddress(address)) {
    report.invalid(`${field}.disk.pciAddress`, `is "${address}"; it must be like 0000:81:01.0`);
  }
}

function validateTuning(disk: Disk, field: string, report: Report): void {
  report.oneOf(`${field}.cache`, disk.cache, DISK_CACHES);
  report.oneOf(`${field}.io`, disk.io, DISK_IO_MODES);
  report.oneOf(`${field}.errorPolicy`, disk.errorPolicy, DISK_ERROR_POLICIES);
  if (disk.serial !== undefined && !SERIAL.test(disk.serial)) {
    report.invalid(`${field}.serial`, 'must be at most 256 letters, digits and _.+-');
  }
  if (disk.io === 'native' && (disk.cache === 'writethrough' || disk.cache === 'writeback')) {
    report.invalid(`${field}.io`, `is "native", which needs cache "none", not "${disk.cache}"`);
  }
  validateBlockSize(disk, field, report);
}

function validateBlockSize(disk: Disk, field: string, report: Report): void {
  const { custom, matchVolume } = disk.blockSize ?? {};
  report.notBelow(`${field}.blockSize.custom.discardGranularity`, custom?.discardGranularity, 0);
  if (custom && matchVolume && matchVolume.enabled !== false)
    report.invalid(`${field}.blockSize`, 'is custom and matchVolume at once; choose one');
  if (!custom) return;
  for (const name of ['logical', 'physical'] as const) {
    const size = custom[name];
    if (size < MIN_BLOCK || size > MAX_BLOCK || (size & (size - 1)) !== 0) {
      report.invalid(
        `${field}.blockSize.custom.${name}`,
        `is ${size}; it must be a power of two from ${MIN_BLOCK} to ${MAX_BLOCK}`,
      );
    }
  }
  if (custom.logical > custom.physical) {
    report.invalid(
      `${field}.blockSize.custom.logical`,
      `is ${custom.logical}, above the physical block size of ${custom.physical}`,
    );
  }
  if (disk.disk?.bus === 'sata' && custom.logical !== MIN_BLOCK) {
    report.invalid(`${field}.blockSize.custom.logical`, `is ${custom.logical}; a sata disk can only have 512`);
  }
}

/** Boot positions are shared by disks and interfaces. */
function validateBootOrder(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  const { disks, interfaces } = spec.domain.devices;
  const orders = Object.entries({ disks, interfaces }).flatMap(([kind, devices]) =>
    (devices ?? []).flatMap(({ bootOrder }, index) =>
      bootOrder === undefined ? [] : [{ field: `${at}.domain.devices.${kind}[${index}].bootOrder`, bootOrder }],
    ),
  );
  for (const { field, bootOrder } of orders) {
    if (bootOrder < 1) report.invalid(field, `is ${bootOrder}; positions begin at 1`);
  }
  report.unique(
    orders.map(({ field, bootOrder }) => ({ field, value: String(bootOrder) })),
    'position',
  );
}
