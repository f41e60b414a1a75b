import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { VirtualMachineInstance } from '@yagura/api';
import { type Case, MACHINE_CASES } from './golden-machine.testing.ts';
import { buildDomainXml, convert, parseDomainXml } from './index.ts';

// One golden file a feature. That libvirt takes each of them is shown by the launcher's tests with the real one.
const GOLDENS = fileURLToPath(new URL('../goldens/', import.meta.url));

const image = { file: '/var/run/kubevirt-ephemeral-disks/disk-data/root/disk.qcow2', format: 'qcow2' } as const;
const overlay = {
  ...image,
  backing: { file: '/var/run/kubevirt/container-disks/disk_0.img', format: 'raw' },
  cache: 'none',
} as const;
const tap = { name: 'default', tapDevice: 'tap0', macAddress: '52:54:00:aa:bb:cc', mtu: 1450 };

const disks = (...names: string[]) =>
  new Map(names.map((name) => [name, { file: `/d/${name}`, format: 'raw' as const }]));

const CASES: Record<string, Case> = {
  ...MACHINE_CASES,
  minimal: {},
  tcg: { options: { accelerator: 'tcg' } },
  'tcg-named-cpu': { domain: { cpu: { model: 'Nehalem', cores: 2 } }, options: { accelerator: 'tcg' } },
  'cpu-topology': {
    domain: {
      cpu: {
        sockets: 2,
        cores: 3,
        threads: 2,
        model: 'host-passthrough',
        features: [{ name: 'invtsc' }, { name: 'vmx', policy: 'disable' }],
      },
    },
  },
  'cpu-max-sockets': { domain: { cpu: { sockets: 2, cores: 2, threads: 1, maxSockets: 8 } } },
  'memory-max-guest': { domain: { cpu: { cores: 2, maxSockets: 2 }, memory: { guest: '1Gi', maxGuest: '4Gi' } } },
  'cpu-from-resources': { domain: { resources: { requests: { memory: '1G', cpu: '1500m' } }, memory: {} } },
  'kernel-boot': {
    domain: {
      firmware: {
        kernelBoot: {
          kernelArgs: 'console=ttyS0 root=/dev/vda quiet',
          container: { image: 'k', kernelPath: '/vmlinuz', initrdPath: '/initrd' },
        },
      },
    },
    options: {
      kernelBoot: {
        kernelPath: '/var/run/kubevirt/container-disks/kernel-boot/kernel',
        initrdPath: '/var/run/kubevirt/container-disks/kernel-boot/initrd',
      },
    },
  },
  identity: {
    domain: {
      firmware: {
        uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223',
        serial: 'SN-1 & "two"',
        bootloader: { bios: { useSerial: true } },
      },
      chassis: { manufacturer: 'Acme', asset: 'A1' },
    },
    options: {
      systemInformation: { manufacturer: 'KubeVirt', product: 'None', family: 'KubeVirt', version: '1', sku: 's' },
    },
  },
  features: {
    domain: {
      features: {
        acpi: { enabled: false },
        apic: { endOfInterrupt: true },
        smm: {},
        kvm: { hidden: true },
        pvspinlock: { enabled: false },
      },
      rebootPolicy: 'Terminate',
    },
  },
  clock: {
    domain: {
      clock: {
        utc: { offsetSeconds: 3600 },
        timer: {
          hpet: { present: false },
          pit: { tickPolicy: 'delay' },
          rtc: { tickPolicy: 'catchup', track: 'wall' },
          kvm: {},
        },
      },
    },
  },
  timezone: { domain: { clock: { timezone: 'Europe/Lisbon' } } },
  'container-disk': {
    domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
    options: { disks: new Map([['root', overlay]]) },
  },
  'disk-buses': {
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'virtio' }, bootOrder: 1, serial: 'A.1', cache: 'writeback', io: 'threads' },
          { name: 'b', disk: { bus: 'sata' }, errorPolicy: 'report' },
          { name: 'c', disk: { bus: 'scsi', readonly: true } },
          { name: 'd', cdrom: { bus: 'sata' } },
          { name: 'e', cdrom: { bus: 'scsi', readonly: false, tray: 'open' } },
          { name: 'f', disk: { bus: 'usb' } },
          { name: 'g' },
          { name: 'h', disk: { bus: 'virtio' }, shareable: true },
          { name: 'i', disk: { bus: 'virtio' }, blockSize: { custom: { logical: 512, physical: 4096 } } },
        ],
      },
    },
    options: { disks: disks('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i') },
  },
  'volume-kinds': {
    domain: {
      devices: {
        disks: [
          { name: 'file', disk: { bus: 'virtio' } },
          { name: 'whole', disk: { bus: 'virtio' } },
          { name: 'block', disk: { bus: 'scsi' }, blockSize: { matchVolume: {} } },
          { name: 'buffered', disk: { bus: 'sata' }, blockSize: { matchVolume: { enabled: false } } },
          { name: 'over-block', disk: { bus: 'virtio', pciAddress: '0000:09:00.0' } },
          { name: 'passed', lun: { bus: 'scsi' } },
          { name: 'empty', cdrom: { bus: 'sata', tray: 'open' } },
          { name: 'later', disk: { bus: 'scsi' } },
        ],
      },
    },
    spec: {
      volumes: [
        ...['file', 'whole', 'block', 'buffered', 'over-block', 'passed'].map((name) => ({
          name,
          persistentVolumeClaim: { claimName: name },
        })),
        { name: 'later', persistentVolumeClaim: { claimName: 'later', hotpluggable: true } },
      ],
    },
    options: {
      disks: new Map([
        ['file', { file: '/v/file/disk.img', format: 'raw', cache: 'none' }],
        ['whole', { file: '/v/whole/disk.img', format: 'raw', cache: 'none', preallocated: true }],
        [
          'block',
          {
            file: '/dev/block',
            format: 'raw',
            block: true,
            cache: 'none',
            blockSize: { logical: 512, physical: 4096 },
          },
        ],
        ['buffered', { file: '/v/buffered/disk.img', format: 'raw', cache: 'writethrough' }],
        ['over-block', { ...image, backing: { file: '/dev/over-block', format: 'raw', block: true }, cache: 'none' }],
        ['passed', { file: '/dev/passed', format: 'raw', block: true, cache: 'none' }],
      ]),
    },
  },
  'io-threads': {
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'virtio' } },
          { name: 'b', disk: { bus: 'virtio' }, dedicatedIOThread: true },
          { name: 'c', disk: { bus: 'sata' } },
        ],
      },
    },
    options: { disks: disks('a', 'b', 'c') },
  },
  'io-threads-auto': {
    domain: {
      cpu: { cores: 2 },
      ioThreadsPolicy: 'auto',
      devices: {
        disks: [
          ...['a', 'b', 'c', 'd'].map((name) => ({ name, disk: { bus: 'virtio' as const } })),
          { name: 'e', disk: { bus: 'virtio' }, dedicatedIOThread: true },
        ],
      },
    },
    options: { disks: disks('a', 'b', 'c', 'd', 'e') },
  },
  'io-threads-pool': {
    domain: {
      ioThreadsPolicy: 'supplementalPool',
      ioThreads: { supplementalPoolThreadCount: 2 },
      devices: { disks: [{ name: 'a', disk: { bus: 'virtio' } }] },
    },
    options: { disks: disks('a') },
  },
  'no-hotplug': { domain: { devices: { disableHotplug: true } } },
  'multi-queue': {
    domain: {
      cpu: { cores: 4 },
      devices: {
        blockMultiQueue: true,
        networkInterfaceMultiqueue: true,
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
    options: { disks: disks('root'), interfaces: [tap] },
  },
  masquerade: {
    domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
    options: { interfaces: [tap] },
  },
  'interface-models': {
    domain: {
      devices: {
        interfaces: [
          { name: 'default', masquerade: {}, model: 'e1000e', bootOrder: 1, acpiIndex: 3 },
          { name: 'second', bridge: {}, state: 'down', macAddress: '52:54:00:00:00:02' },
          { name: 'gone', bridge: {}, state: 'absent' },
        ],
      },
    },
    options: { interfaces: [tap, { name: 'second', tapDevice: 'tap1' }] },
  },
  'interface-address': {
    domain: {
      devices: { interfaces: [{ name: 'default', bridge: {}, model: 'e1000', pciAddress: '0000:02:00.0' }] },
    },
    options: { interfaces: [tap] },
  },
  'multi-queue-tcg': {
    domain: {
      cpu: { cores: 2 },
      devices: {
        networkInterfaceMultiqueue: true,
        interfaces: [
          { name: 'default', masquerade: {} },
          { name: 'second', bridge: {}, model: 'igb' },
        ],
      },
    },
    options: { accelerator: 'tcg', interfaces: [tap, { name: 'second', tapDevice: 'tap1' }] },
  },
  'interface-every-model': {
    domain: {
      devices: {
        interfaces: (['virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139'] as const).map((model) => ({
          name: model,
          bridge: {},
          model,
        })),
      },
    },
    options: {
      interfaces: ['virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139'].map((name, index) => ({
        name,
        tapDevice: `tap${index}`,
      })),
    },
  },
  'no-extras': {
    domain: {
      devices: { autoattachGraphicsDevice: false, autoattachSerialConsole: false, autoattachMemBalloon: false },
    },
  },
  'rng-watchdog-inputs': {
    domain: {
      devices: {
        rng: {},
        watchdog: { name: 'dog', i6300esb: { action: 'poweroff' } },
        inputs: [
          { name: 'tablet', type: 'tablet', bus: 'usb' },
          { name: 'touch', type: 'tablet', bus: 'virtio' },
        ],
      },
    },
  },
  transitional: {
    domain: { devices: { useVirtioTransitional: true, disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
    options: { disks: disks('root'), balloonStatsPeriodSeconds: 0 },
  },
  'grace-period': { spec: { terminationGracePeriodSeconds: 0 } },
};

function build({ domain, spec, options }: Case): string {
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'demo', namespace: 'default', uid: '11111111-2222-3333-4444-555555555555' },
    spec: { ...spec, domain: { memory: { guest: '128Mi' }, devices: {}, ...domain } },
  };
  const model = convert(vmi, {
    accelerator: 'kvm',
    privateDirectory: '/var/run/kubevirt-private',
    disks: new Map(),
    interfaces: [],
    ...options,
  });
  return buildDomainXml(model);
}

describe('domain XML', () => {
  test.each(Object.keys(CASES))('of "%s" is its golden file', (name) => {
    const xml = build(CASES[name] ?? {});
    const file = `${GOLDENS}${name}.xml`;
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, xml);
    expect(xml).toBe(readFileSync(file, 'utf8'));
  });

  test('has no golden file without a case', () => {
    const files = readdirSync(GOLDENS).map((file) => file.replace(/\.xml$/, ''));
    expect(files.sort()).toEqual(Object.keys(CASES).sort());
  });

  test('tells the parser the identity that the converter wrote', () => {
    expect(parseDomainXml(build(CASES['tcg'] ?? {}))).toMatchObject({
      name: 'default_demo',
      accelerator: 'tcg',
      metadata: {
        uid: '11111111-2222-3333-4444-555555555555',
        namespace: 'default',
        name: 'demo',
        gracePeriodSeconds: 30,
      },
    });
  });
});
