import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachineInstance } from '../defaults/defaults.ts';
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { validateVirtualMachineInstance } from './vmi.ts';

const config = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { network: { defaultNetworkInterface: 'masquerade' } } },
});
const source = { uuid: () => '5e1f0000-0000-4000-8000-000000000001', now: () => '2026-01-01T00:00:00Z' };

type Domain = VirtualMachineInstanceSpec['domain'];
const domain = (over: object = {}): Domain => ({ memory: { guest: '128Mi' }, devices: {}, ...over });
const devices = (over: object) => ({ domain: domain({ devices: over }) });
const empty = { emptyDisk: { capacity: '1Gi' } };

/** Causes after defaulting, as `reason field`. */
function causes(spec: object): string[] {
  const vmi = { metadata: { name: 'x' }, spec: { domain: domain(), ...spec } as VirtualMachineInstanceSpec };
  const defaulted = defaultVirtualMachineInstance(vmi, config, source);
  return validateVirtualMachineInstance(defaulted, config, { operation: 'CREATE' }).map(
    ({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`,
  );
}

const D = 'spec.domain.devices';

test.each<[string, object]>([
  ['memory alone', {}],
  ['a request instead of guest memory', { domain: { devices: {}, resources: { requests: { memory: '64Mi' } } } }],
  [
    'a container disk with cloud-init',
    {
      volumes: [
        { name: 'root', containerDisk: { image: 'a:1' } },
        { name: 'init', cloudInitNoCloud: { userDataBase64: 'I2Nsb3VkLWNvbmZpZw==' } },
      ],
      domain: domain({
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 },
            { name: 'init', cdrom: {} },
          ],
        },
      }),
    },
  ],
  [
    'kernel boot',
    {
      domain: domain({
        firmware: { kernelBoot: { kernelArgs: 'quiet', container: { image: 'k:1', kernelPath: '/vmlinuz' } } },
      }),
    },
  ],
  [
    'masquerade with ports and options',
    {
      networks: [{ name: 'n', pod: { vmNetworkCIDR: '10.1.0.0/24' } }],
      ...devices({
        interfaces: [
          {
            name: 'n',
            masquerade: {},
            macAddress: 'DE-AD-00-00-BE-AF',
            ports: [
              { name: 'http', port: 80 },
              { port: 53, protocol: 'UDP' },
            ],
            dhcpOptions: { ntpServers: ['10.0.0.1'], privateOptions: [{ option: 240, value: 'x' }] },
          },
        ],
      }),
    },
  ],
  ['grace of zero', { terminationGracePeriodSeconds: 0 }],
  ['a harmless word for something unsupported', { domain: domain({ rebootPolicy: 'Reboot' }) }],
  ['unsupported things that are switched off', devices({ logSerialConsole: false, gpus: [], tpm: { enabled: false } })],
])('%s is accepted', (_, spec) => {
  expect(causes(spec)).toEqual([]);
});

test.each<[string, object, string]>([
  // What issue reports begin with.
  ['no memory', { domain: { devices: {} } }, 'Required spec.domain.memory.guest'],
  ['a disk without its volume', devices({ disks: [{ name: 'a' }] }), `Invalid ${D}.disks[0].name`],
  [
    'an unknown bus',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', disk: { bus: 'nvme' } }] }) },
    `NotSupported ${D}.disks[0].disk.bus`,
  ],
  [
    'the IDE bus',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', disk: { bus: 'ide' } }] }) },
    `Invalid ${D}.disks[0].disk.bus`,
  ],
  ['a negative grace period', { terminationGracePeriodSeconds: -1 }, 'Invalid spec.terminationGracePeriodSeconds'],
  [
    'two disks of one name',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a' }, { name: 'a' }] }) },
    `Duplicate ${D}.disks[1].name`,
  ],
  // Memory and CPU.
  ['memory below a megabyte', { domain: domain({ memory: { guest: '1k' } }) }, 'Invalid spec.domain.memory.guest'],
  [
    'a request below a megabyte',
    { domain: domain({ resources: { requests: { memory: '1' } } }) },
    'Invalid spec.domain.resources.requests.memory',
  ],
  [
    'a negative request',
    { domain: domain({ resources: { requests: { memory: '-1Gi' } } }) },
    'Invalid spec.domain.resources.requests.memory',
  ],
  [
    'a request above the limit',
    { domain: domain({ resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } }) },
    'Invalid spec.domain.resources.requests.cpu',
  ],
  [
    'guest memory above the limit',
    { domain: domain({ resources: { limits: { memory: '64Mi' } } }) },
    'Invalid spec.domain.memory.guest',
  ],
  [
    'a limit that is no quantity',
    { domain: domain({ resources: { limits: { 'x.y/z': 'many' } } }) },
    'Invalid spec.domain.resources.limits.x.y/z',
  ],
  ['negative cores', { domain: domain({ cpu: { cores: -1 } }) }, 'Invalid spec.domain.cpu.cores'],
  ['too many virtual CPUs', { domain: domain({ cpu: { cores: 64, sockets: 9 } }) }, 'Invalid spec.domain.cpu'],
  [
    'an unknown CPU feature policy',
    { domain: domain({ cpu: { features: [{ name: 'x', policy: 'maybe' }] } }) },
    'NotSupported spec.domain.cpu.features[0].policy',
  ],
  [
    'a machine the cluster does not offer',
    { domain: domain({ machine: { type: 'i440fx' } }) },
    'Invalid spec.domain.machine.type',
  ],
  // Disks.
  ['a disk name that is no label', { volumes: [{ name: 'A_b', ...empty }] }, `Invalid ${D}.disks[0].name`],
  [
    'two targets',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', disk: {}, cdrom: {} }] }) },
    `Invalid ${D}.disks[0]`,
  ],
  [
    'a virtio CD-ROM',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', cdrom: { bus: 'virtio' } }] }) },
    `Invalid ${D}.disks[0].cdrom.bus`,
  ],
  [
    'a read-only sata disk',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', disk: { readonly: true } }] }) },
    `Invalid ${D}.disks[0].disk.readonly`,
  ],
  [
    'a boot order of zero',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', bootOrder: 0 }] }) },
    `Invalid ${D}.disks[0].bootOrder`,
  ],
  [
    'a boot order twice',
    {
      volumes: [{ name: 'a', ...empty }],
      networks: [{ name: 'n', pod: {} }],
      ...devices({ disks: [{ name: 'a', bootOrder: 1 }], interfaces: [{ name: 'n', masquerade: {}, bootOrder: 1 }] }),
    },
    `Duplicate ${D}.interfaces[0].bootOrder`,
  ],
  [
    'a serial with a space',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', serial: 'a b' }] }) },
    `Invalid ${D}.disks[0].serial`,
  ],
  [
    'an unknown cache',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', cache: 'warm' }] }) },
    `NotSupported ${D}.disks[0].cache`,
  ],
  [
    'native I/O through a cache',
    { volumes: [{ name: 'a', ...empty }], ...devices({ disks: [{ name: 'a', cache: 'writeback', io: 'native' }] }) },
    `Invalid ${D}.disks[0].io`,
  ],
  [
    'a block size that is no power of two',
    {
      volumes: [{ name: 'a', ...empty }],
      ...devices({
        disks: [{ name: 'a', disk: { bus: 'virtio' }, blockSize: { custom: { logical: 1000, physical: 4096 } } }],
      }),
    },
    `Invalid ${D}.disks[0].blockSize.custom.logical`,
  ],
  // Volumes.
  [
    'two volumes of one name',
    {
      volumes: [
        { name: 'a', ...empty },
        { name: 'a', ...empty },
      ],
    },
    'Duplicate spec.volumes[1].name',
  ],
  ['a volume without a source', { volumes: [{ name: 'a' }] }, 'Required spec.volumes[0]'],
  [
    'a volume with two sources',
    { volumes: [{ name: 'a', ...empty, containerDisk: { image: 'x' } }] },
    'Invalid spec.volumes[0]',
  ],
  [
    'a container disk without an image',
    { volumes: [{ name: 'a', containerDisk: { image: '' } }] },
    'Required spec.volumes[0].containerDisk.image',
  ],
  [
    'a container disk path with ..',
    { volumes: [{ name: 'a', containerDisk: { image: 'x', path: '/disk/../etc' } }] },
    'Invalid spec.volumes[0].containerDisk.path',
  ],
  [
    'an empty disk without a size',
    { volumes: [{ name: 'a', emptyDisk: { capacity: 0 } }] },
    'Invalid spec.volumes[0].emptyDisk.capacity',
  ],
  ['empty cloud-init', { volumes: [{ name: 'a', cloudInitNoCloud: {} }] }, 'Required spec.volumes[0].cloudInitNoCloud'],
  [
    'user data twice',
    { volumes: [{ name: 'a', cloudInitNoCloud: { userData: 'x', secretRef: { name: 's' } } }] },
    'Invalid spec.volumes[0].cloudInitNoCloud',
  ],
  [
    'user data that is too long',
    { volumes: [{ name: 'a', cloudInitNoCloud: { userData: 'ü'.repeat(1025) } }] },
    'Invalid spec.volumes[0].cloudInitNoCloud.userData',
  ],
  [
    'user data that is not base64',
    { volumes: [{ name: 'a', cloudInitNoCloud: { userDataBase64: '#cloud' } }] },
    'Invalid spec.volumes[0].cloudInitNoCloud.userDataBase64',
  ],
  [
    'kernel arguments without a kernel',
    { domain: domain({ firmware: { kernelBoot: { kernelArgs: 'quiet' } } }) },
    'Invalid spec.domain.firmware.kernelBoot.kernelArgs',
  ],
  [
    'a relative kernel path',
    { domain: domain({ firmware: { kernelBoot: { container: { image: 'k', kernelPath: 'vmlinuz' } } } }) },
    'Invalid spec.domain.firmware.kernelBoot.container.kernelPath',
  ],
  // Networks.
  [
    'an interface without a network',
    devices({ interfaces: [{ name: 'n', masquerade: {} }] }),
    `Invalid ${D}.interfaces[0].name`,
  ],
  ['a network without an interface', { networks: [{ name: 'n', pod: {} }] }, 'Required spec.networks[0].name'],
  [
    'no binding',
    { networks: [{ name: 'n', pod: {} }], ...devices({ interfaces: [{ name: 'n' }] }) },
    `Invalid ${D}.interfaces[0]`,
  ],
  [
    'a discontinued binding',
    { networks: [{ name: 'n', pod: {} }], ...devices({ interfaces: [{ name: 'n', slirp: {} }] }) },
    `Invalid ${D}.interfaces[0].slirp`,
  ],
  [
    'an unknown model',
    {
      networks: [{ name: 'n', pod: {} }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {}, model: 'ne2000' }] }),
    },
    `NotSupported ${D}.interfaces[0].model`,
  ],
  [
    'a MAC of five bytes',
    {
      networks: [{ name: 'n', pod: {} }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {}, macAddress: 'de:ad:00:00:be' }] }),
    },
    `Invalid ${D}.interfaces[0].macAddress`,
  ],
  [
    'the MAC of the gateway',
    {
      networks: [{ name: 'n', pod: {} }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {}, macAddress: '02:00:00:00:00:00' }] }),
    },
    `Invalid ${D}.interfaces[0].macAddress`,
  ],
  [
    'a port of zero',
    {
      networks: [{ name: 'n', pod: {} }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {}, ports: [{ port: 0 }] }] }),
    },
    `Required ${D}.interfaces[0].ports[0].port`,
  ],
  [
    'a port that is too high',
    {
      networks: [{ name: 'n', pod: {} }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {}, ports: [{ port: 65536 }] }] }),
    },
    `Invalid ${D}.interfaces[0].ports[0].port`,
  ],
  [
    'a network without room',
    {
      networks: [{ name: 'n', pod: { vmNetworkCIDR: '10.0.2.0/31' } }],
      ...devices({ interfaces: [{ name: 'n', masquerade: {} }] }),
    },
    'Invalid spec.networks[0].pod.vmNetworkCIDR',
  ],
  [
    'a second pod network',
    {
      networks: [
        { name: 'n', pod: {} },
        { name: 'm', pod: {} },
      ],
      ...devices({
        interfaces: [
          { name: 'n', masquerade: {} },
          { name: 'm', masquerade: {} },
        ],
      }),
    },
    'Duplicate spec.networks[1]',
  ],
  // The rest.
  ['a host name with a dot', { hostname: 'a.b' }, 'Invalid spec.hostname'],
  ['an unknown eviction strategy', { evictionStrategy: 'Run' }, 'NotSupported spec.evictionStrategy'],
  ['an unknown architecture', { architecture: 'm68k' }, 'NotSupported spec.architecture'],
  ['a probe without a handler', { readinessProbe: {} }, 'Required spec.readinessProbe'],
  [
    'a paused start with a liveness probe',
    { startStrategy: 'Paused', livenessProbe: { tcpSocket: { port: 22 } } },
    'Invalid spec.startStrategy',
  ],
  ['a DNS policy of None without servers', { dnsPolicy: 'None' }, 'Required spec.dnsConfig.nameservers'],
  [
    'a name server that is no address',
    { dnsConfig: { nameservers: ['dns.example.com'] } },
    'Invalid spec.dnsConfig.nameservers[0]',
  ],
  ['a UUID that is none', { domain: domain({ firmware: { uuid: 'demo' } }) }, 'Invalid spec.domain.firmware.uuid'],
  ['a keyboard', devices({ inputs: [{ name: 'k', type: 'keyboard' }] }), `Invalid ${D}.inputs[0].type`],
  // Not yet.
  [
    'a claim',
    { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'c' } }] },
    'NotSupported spec.volumes[0].persistentVolumeClaim',
  ],
  [
    'EFI',
    { domain: domain({ features: { smm: { enabled: true } }, firmware: { bootloader: { efi: {} } } }) },
    'NotSupported spec.domain.firmware.bootloader.efi',
  ],
  ['a TPM', devices({ tpm: {} }), `NotSupported ${D}.tpm`],
  ['another architecture', { architecture: 'arm64' }, 'NotSupported spec.architecture'],
  ['an agent probe', { livenessProbe: { guestAgentPing: {} } }, 'NotSupported spec.livenessProbe.guestAgentPing'],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('every message names its field', () => {
  const vmi: VirtualMachineInstance = {
    metadata: { name: 'x' },
    spec: { terminationGracePeriodSeconds: -1, domain: { devices: { disks: [{ name: 'a' }, { name: 'a' }] } } },
  };
  const found = validateVirtualMachineInstance(vmi, config, { operation: 'CREATE' });
  expect(found.length).toBeGreaterThan(3);
  for (const { field, message } of found) expect(message.startsWith(field)).toBe(true);
});

describe('update', () => {
  const old: VirtualMachineInstance = {
    metadata: { name: 'x', labels: { 'kubevirt.io/nodeName': 'n1' } },
    spec: { domain: domain() },
  };
  const fields = (vmi: VirtualMachineInstance, byProduct = false) =>
    validateVirtualMachineInstance(vmi, config, { operation: 'UPDATE', old, byProduct }).map(({ field }) => field);

  test('nobody but the product changes the spec of a run', () => {
    const changed = { ...old, spec: { ...old.spec, terminationGracePeriodSeconds: 1 } };
    expect(fields(changed)).toEqual(['spec']);
    expect(fields(changed, true)).toEqual([]);
  });

  test('nobody but the product changes the labels that route an instance', () => {
    const moved = { ...old, metadata: { name: 'x', labels: { 'kubevirt.io/nodeName': 'n2' } } };
    const stripped = { ...old, metadata: { name: 'x' } };
    expect(fields(moved)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
    expect(fields(stripped)).toEqual(['metadata.labels[kubevirt.io/nodeName]']);
    expect(fields(moved, true)).toEqual([]);
  });

  test('other labels and annotations are free', () => {
    const labels = { ...old.metadata.labels, mine: 'x' };
    expect(fields({ ...old, metadata: { ...old.metadata, labels, annotations: { a: 'b' } } })).toEqual([]);
  });
});
