import type { VirtualMachineInstance } from '@yagura/api';
import type { ConversionOptions } from './index.ts';

type Spec = VirtualMachineInstance['spec'];

/** An instance, as what it has beyond the smallest one, and what the node says. */
export interface Case {
  domain?: Partial<Spec['domain']>;
  spec?: Partial<Spec>;
  options?: Partial<ConversionOptions>;
}

const firmwareDirectory = '/usr/share/edk2/ovmf';
const on = { enabled: true };

/** Firmware, memory, features and devices without storage or network. */
export const MACHINE_CASES: Record<string, Case> = {
  'cpu-named': {
    domain: {
      cpu: {
        model: 'Skylake-Server-IBRS',
        features: [
          { name: 'aes', policy: 'force' },
          { name: 'avx512f', policy: 'optional' },
          { name: 'hle', policy: 'forbid' },
          { name: 'pcid', policy: 'require' },
          { name: 'rtm', policy: 'disable' },
        ],
      },
    },
  },
  'cpu-named-with-mpx': {
    domain: { cpu: { model: 'Skylake-Client', features: [{ name: 'mpx', policy: 'optional' }] } },
  },
  hugepages: { domain: { memory: { guest: '256Mi', hugepages: { pageSize: '2Mi' } } } },
  'machine-type': { domain: { machine: { type: 'pc-q35-7.2' } } },
  efi: {
    domain: { firmware: { bootloader: { efi: { secureBoot: false } } } },
    options: { firmwareDirectory },
  },
  'efi-secure-boot': {
    domain: { firmware: { bootloader: { efi: {} } }, features: { smm: on } },
    options: { firmwareDirectory },
  },
  hyperv: {
    domain: {
      features: {
        hyperv: {
          relaxed: on,
          vapic: {},
          spinlocks: { spinlocks: 8191 },
          vpindex: on,
          runtime: on,
          synic: on,
          synictimer: { direct: on },
          reset: { enabled: false },
          vendorid: { vendorid: 'Acme' },
          frequencies: on,
          reenlightenment: on,
          tlbflush: on,
          ipi: on,
          evmcs: on,
        },
      },
      clock: { timer: { hyperv: {} } },
    },
  },
  'hyperv-defaults': { domain: { features: { hyperv: { spinlocks: {}, vendorid: {} } } } },
  'hyperv-tlbflush': {
    domain: { features: { hyperv: { vpindex: on, tlbflush: { direct: on, extended: { enabled: false } } } } },
  },
  'hyperv-passthrough': { domain: { features: { hypervPassthrough: on } } },
  'clock-all-timers': {
    domain: {
      clock: {
        utc: {},
        timer: {
          hpet: { tickPolicy: 'delay' },
          kvm: { present: false },
          pit: { tickPolicy: 'discard' },
          rtc: { tickPolicy: 'delay', track: 'guest' },
          hyperv: { present: false },
        },
      },
    },
  },
  'video-cirrus': { domain: { devices: { video: { type: 'cirrus' } } } },
  'video-virtio': { domain: { devices: { video: { type: 'virtio' } } } },
  'video-ramfb': { domain: { devices: { video: { type: 'ramfb' } } } },
  'video-bochs': { domain: { devices: { video: { type: 'bochs' } } } },
  sound: { domain: { devices: { sound: { name: 'noise', model: 'ac97' } } } },
  'sound-default': { domain: { devices: { sound: { name: 'noise' } } } },
  'panic-devices': { domain: { devices: { panicDevices: [{ model: 'isa' }, { model: 'hyperv' }] } } },
  'panic-pvpanic': { domain: { devices: { panicDevices: [{ model: 'pvpanic' }] } } },
  'panic-default': { domain: { devices: { panicDevices: [{}] } } },
  tpm: { domain: { devices: { tpm: {} } } },
  'serial-log': { domain: { devices: { logSerialConsole: true } } },
  'input-default': { domain: { devices: { autoattachInputDevice: true } } },
};
