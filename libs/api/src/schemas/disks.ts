import type { Static } from 'typebox';
import { DISK_BUSES, DISK_CACHES, DISK_ERROR_POLICIES, DISK_IO_MODES } from '../words.ts';
import { bool, int32, marker, object, oneOf, str } from './build.ts';

export type DiskBus = (typeof DISK_BUSES)[number];

const bus = oneOf('Bus the guest sees the disk on; sata if unset.', DISK_BUSES);
const readonly = bool('Whether the guest can only read.');

export const DiskSchema = object(
  'A disk of the guest; shows the volume of the same name as exactly one of disk, lun or cdrom.',
  {
    disk: object('A hard disk.', {
      bus,
      readonly,
      pciAddress: str('Address of a virtio disk on the PCI bus of the guest, such as 0000:81:01.10.'),
    }),
    lun: object('A SCSI device passed through, with its commands.', {
      bus,
      readonly,
      reservation: bool('Whether the guest may use SCSI persistent reservations.'),
    }),
    cdrom: object('A CD-ROM.', {
      bus,
      readonly: bool('Whether the guest can only read; true if unset.'),
      tray: oneOf('State of the tray at start; closed if unset.', ['open', 'closed']),
    }),
    bootOrder: int32('Position in the boot order, from 1, unique among all devices.'),
    serial: str('Serial number the guest sees; letters, digits and _.+-, at most 256.'),
    dedicatedIOThread: bool('Whether a virtio disk gets an I/O thread of its own.'),
    cache: oneOf('Cache mode of the host; chosen by the storage if unset.', DISK_CACHES),
    io: oneOf('How the host does I/O; chosen by the storage if unset.', DISK_IO_MODES),
    tag: str('Tag told to the guest by its metadata.'),
    blockSize: object('Block sizes the guest sees.', {
      custom: object(
        'Block sizes in bytes, powers of two from 512 to 2097152.',
        { discardGranularity: int32('Granularity of discards in bytes.') },
        { logical: int32('Logical block size in bytes.'), physical: int32('Physical block size in bytes.') },
      ),
      matchVolume: object('The block sizes of the volume.', { enabled: bool('On if unset.') }),
    }),
    shareable: bool('Whether other guests may write to it at once; turns the cache off.'),
    errorPolicy: oneOf('What happens to the guest at an I/O error; stop if unset.', DISK_ERROR_POLICIES),
    changedBlockTracking: bool('Whether changed blocks are tracked for incremental backup.'),
  },
  { name: str('Name of the disk, and of the volume behind it.') },
);
export type Disk = Static<typeof DiskSchema>;

export const FilesystemSchema = object(
  'A volume that the guest mounts as a shared filesystem.',
  {},
  { name: str('Name of the filesystem, and of the volume behind it.'), virtiofs: marker('Shares it by virtiofs.') },
);
