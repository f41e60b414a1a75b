import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { VirtualMachineInstance } from '@yagura/api';
import { buildDomainXml, type ConversionOptions, convert, parseDomainXml } from './index.ts';

// One golden file a feature, each checked against libvirt's own schema where that is installed.
const GOLDENS = fileURLToPath(new URL('../goldens/', import.meta.url));
const SCHEMA = '/usr/share/libvirt/schemas/domain.rng';
const hasSchema = existsSync(SCHEMA) && spawnSync('xmllint', ['--version']).error === undefined;

type Spec = VirtualMachineInstance['spec'];
type Domain = Spec['domain'];

interface Case {
  domain?: Partial<Domain>;
  spec?: Partial<Spec>;
  options?: Partial<ConversionOptions>;
}

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

  (hasSchema ? test.each(Object.keys(CASES)) : test.skip.each(Object.keys(CASES)))(
    'of "%s" obeys libvirt\'s schema',
    (name) => {
      const input = build(CASES[name] ?? {});
      const check = () => execFileSync('xmllint', ['--noout', '--relaxng', SCHEMA, '-'], { input, stdio: 'pipe' });
      expect(check).not.toThrow();
    },
  );

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
