import type { VirtualMachineInstance } from '@yagura/api';
import { ConversionError } from '../errors.ts';
import { convert } from './convert.ts';
import type { ConversionOptions } from './options.ts';

const OPTIONS: ConversionOptions = {
  accelerator: 'kvm',
  privateDirectory: '/p',
  disks: new Map([['root', { file: '/d', format: 'raw' }]]),
  interfaces: [],
};

function fieldOf(domain: object, spec: object = {}, options = OPTIONS): string {
  const vmi = {
    metadata: { name: 'demo', namespace: 'default', uid: 'u' },
    spec: { domain: { memory: { guest: '1Gi' }, devices: {}, ...domain }, ...spec },
  } as unknown as VirtualMachineInstance;
  try {
    convert(vmi, options);
  } catch (error) {
    if (error instanceof ConversionError) return error.field;
    throw error;
  }
  return 'converted';
}

const efi = (efi: object) => ({ firmware: { bootloader: { efi } } });

test('secure boot, which is the default, needs system management mode', () => {
  const options = { ...OPTIONS, firmwareDirectory: '/f' };
  expect(fieldOf(efi({}), {}, options)).toBe('spec.domain.firmware.bootloader.efi.secureBoot');
  expect(fieldOf({ ...efi({}), features: { smm: { enabled: false } } }, {}, options)).toMatch(/secureBoot$/);
  expect(fieldOf({ ...efi({}), features: { smm: {} } }, {}, options)).toBe('converted');
});

describe('an instance that cannot be converted', () => {
  test.each<[field: string, domain: object]>([
    ['spec.domain.memory.guest', { memory: {} }],
    ['spec.domain.memory.guest', { memory: { guest: 'lots' } }],
    ['spec.domain.memory.guest', { memory: { guest: '0' } }],
    ['spec.domain.devices.disks[0].disk.bus', { devices: { disks: [{ name: 'root', disk: { bus: 'ide' } }] } }],
    ['spec.domain.devices.disks[0].name', { devices: { disks: [{ name: 'other', disk: {} }] } }],
    ['spec.domain.devices.disks[0]', { devices: { disks: [{ name: 'root', disk: {}, cdrom: {} }] } }],
    ['spec.domain.devices.disks[0].lun', { devices: { disks: [{ name: 'root', lun: {} }] } }],
    ['spec.domain.devices.interfaces[0]', { devices: { interfaces: [{ name: 'default', masquerade: {} }] } }],
    ['spec.domain.firmware.bootloader.efi', { firmware: { bootloader: { efi: {} } } }],
    ['spec.domain.firmware.kernelBoot.container', { firmware: { kernelBoot: { container: { image: 'k' } } } }],
    ['spec.domain.firmware.kernelBoot.kernelArgs', { firmware: { kernelBoot: { kernelArgs: 'quiet' } } }],
    ['spec.domain.firmware.bootloader.efi.persistent', efi({ persistent: true, secureBoot: false })],
    ['spec.domain.features.hypervPassthrough', { features: { hyperv: {}, hypervPassthrough: {} } }],
    ['spec.domain.devices.tpm.persistent', { devices: { tpm: { persistent: true } } }],
    ['spec.domain.devices.downwardMetrics', { devices: { downwardMetrics: {} } }],
    ['spec.domain.cpu.realtime', { cpu: { realtime: {} } }],
    ['spec.domain.memory.hugepages.pageSize', { memory: { guest: '63Mi', hugepages: { pageSize: '2Mi' } } }],
    ['spec.domain.launchSecurity', { launchSecurity: { sev: {} } }],
  ])('names %s', (field, domain) => {
    expect(fieldOf(domain)).toBe(field);
  });

  test.each<[field: string, disk: object, source: object]>([
    ['lun.bus', { lun: { bus: 'sata' } }, { block: true }],
    ['lun', { lun: { bus: 'scsi' } }, {}],
    ['cache', { disk: {}, cache: 'none' }, { cache: 'writethrough' }],
    ['disk.pciAddress', { disk: { bus: 'virtio', pciAddress: '81:01' } }, {}],
    ['disk.pciAddress', { disk: { bus: 'scsi', pciAddress: '0000:81:01.0' } }, {}],
    ['blockSize.matchVolume', { disk: {}, blockSize: { matchVolume: {} } }, {}],
  ])('names %s of a disk that its storage cannot be', (field, disk, source) => {
    const disks: ConversionOptions['disks'] = new Map([['root', { file: '/d', format: 'raw', ...source }]]);
    const domain = { devices: { disks: [{ name: 'root', ...disk }] } };
    expect(fieldOf(domain, {}, { ...OPTIONS, disks })).toBe(`spec.domain.devices.disks[0].${field}`);
  });

  test('is not one with empty lists of what is not supported', () => {
    expect(fieldOf({ devices: { gpus: [], hostDevices: [] }, cpu: { dedicatedCpuPlacement: false } })).toBe(
      'converted',
    );
  });
});
