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

function fieldOf(domain: object, spec: object = {}): string {
  const vmi = {
    metadata: { name: 'demo', namespace: 'default', uid: 'u' },
    spec: { domain: { memory: { guest: '1Gi' }, devices: {}, ...domain }, ...spec },
  } as unknown as VirtualMachineInstance;
  try {
    convert(vmi, OPTIONS);
  } catch (error) {
    if (error instanceof ConversionError) return error.field;
    throw error;
  }
  return 'converted';
}

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
    ['spec.domain.features.hyperv', { features: { hyperv: {} } }],
    ['spec.domain.devices.tpm', { devices: { tpm: {} } }],
    ['spec.domain.cpu.realtime', { cpu: { realtime: {} } }],
    ['spec.domain.memory.hugepages', { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }],
    ['spec.domain.launchSecurity', { launchSecurity: { sev: {} } }],
  ])('names %s', (field, domain) => {
    expect(fieldOf(domain)).toBe(field);
  });

  test('is not one with empty lists of what is not supported', () => {
    expect(fieldOf({ devices: { gpus: [], hostDevices: [] }, cpu: { dedicatedCpuPlacement: false } })).toBe(
      'converted',
    );
  });
});
