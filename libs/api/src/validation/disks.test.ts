import { causes, D, devices, domain, withDisk } from './testing/causes.ts';

test.each<[string, object, string]>([
  ['a disk without its volume', devices({ disks: [{ name: 'a' }] }), `Invalid ${D}.disks[0].name`],
  ['an unknown bus', withDisk({ disk: { bus: 'nvme' } }), `NotSupported ${D}.disks[0].disk.bus`],
  ['the IDE bus', withDisk({ disk: { bus: 'ide' } }), `Invalid ${D}.disks[0].disk.bus`],
  ['two disks of one name', devices({ disks: [{ name: 'a' }, { name: 'a' }] }), `Duplicate ${D}.disks[1].name`],
  ['a name that is no label', devices({ disks: [{ name: 'A_b' }] }), `Invalid ${D}.disks[0].name`],
  ['two targets', withDisk({ disk: {}, cdrom: {} }), `Invalid ${D}.disks[0]`],
  ['a virtio CD-ROM', withDisk({ cdrom: { bus: 'virtio' } }), `Invalid ${D}.disks[0].cdrom.bus`],
  ['a tray that is ajar', withDisk({ cdrom: { tray: 'ajar' } }), `NotSupported ${D}.disks[0].cdrom.tray`],
  ['a read-only sata disk', withDisk({ disk: { readonly: true } }), `Invalid ${D}.disks[0].disk.readonly`],
  ['a boot order of zero', withDisk({ bootOrder: 0 }), `Invalid ${D}.disks[0].bootOrder`],
  ['a serial with a space', withDisk({ serial: 'a b' }), `Invalid ${D}.disks[0].serial`],
  ['an unknown cache', withDisk({ cache: 'warm' }), `NotSupported ${D}.disks[0].cache`],
  ['an unknown error policy', withDisk({ errorPolicy: 'hope' }), `NotSupported ${D}.disks[0].errorPolicy`],
  ['native I/O through a cache', withDisk({ cache: 'writeback', io: 'native' }), `Invalid ${D}.disks[0].io`],
  [
    'a block size that is no power of two',
    withDisk({ disk: { bus: 'virtio' }, blockSize: { custom: { logical: 1000, physical: 4096 } } }),
    `Invalid ${D}.disks[0].blockSize.custom.logical`,
  ],
  [
    'a logical block above the physical one',
    withDisk({ disk: { bus: 'virtio' }, blockSize: { custom: { logical: 4096, physical: 512 } } }),
    `Invalid ${D}.disks[0].blockSize.custom.logical`,
  ],
  [
    'a PCI address on another bus',
    withDisk({ disk: { bus: 'sata', pciAddress: '0000:01:01.0' } }),
    `Invalid ${D}.disks[0].disk.pciAddress`,
  ],
  [
    'a PCI address that is none',
    withDisk({ disk: { bus: 'virtio', pciAddress: 'x' } }),
    `Invalid ${D}.disks[0].disk.pciAddress`,
  ],
  [
    'a thread of its own on another bus',
    withDisk({ dedicatedIOThread: true }),
    `NotSupported ${D}.disks[0].dedicatedIOThread`,
  ],
  [
    'block sizes of its own and of the volume',
    withDisk({ blockSize: { custom: { logical: 512, physical: 512 }, matchVolume: {} } }),
    `Invalid ${D}.disks[0].blockSize`,
  ],
  [
    'a sata disk of 4096 bytes a block',
    withDisk({ disk: { bus: 'sata' }, blockSize: { custom: { logical: 4096, physical: 4096 } } }),
    `Invalid ${D}.disks[0].blockSize.custom.logical`,
  ],
  ['a lun without a claim', withDisk({ lun: {} }), `Invalid ${D}.disks[0].lun`],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('boot positions are shared by disks and interfaces', () => {
  const spec = {
    volumes: [{ name: 'a', emptyDisk: { capacity: '1Gi' } }],
    networks: [{ name: 'n', pod: {} }],
    domain: domain({
      devices: {
        disks: [{ name: 'a', bootOrder: 1 }],
        interfaces: [{ name: 'n', masquerade: {}, bootOrder: 1 }],
      },
    }),
  };
  expect(causes(spec)).toEqual([`Duplicate ${D}.interfaces[0].bootOrder`]);
});
