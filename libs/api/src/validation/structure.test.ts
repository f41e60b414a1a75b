import { checkStructure, unknownFields } from './structure.ts';

const vmi = (spec: object) => ({ metadata: { name: 'x' }, spec });
const at = (spec: unknown) => checkStructure('VirtualMachineInstance', vmi(spec as object)).map(({ field }) => field);

test('what is right has no causes', () => {
  expect(at({ domain: { devices: {}, memory: { guest: 1 }, resources: { requests: { cpu: '100m' } } } })).toEqual([]);
});

test.each<[string, unknown, string[]]>([
  ['no domain', {}, ['spec.domain']],
  ['no devices', { domain: {} }, ['spec.domain.devices']],
  ['text for a number', { domain: { devices: {}, cpu: { cores: '2' } } }, ['spec.domain.cpu.cores']],
  ['a fraction for a number', { domain: { devices: {}, cpu: { cores: 1.5 } } }, ['spec.domain.cpu.cores']],
  ['an object for a list', { domain: { devices: { disks: {} } } }, ['spec.domain.devices.disks']],
  ['null for an object', { domain: null }, ['spec.domain']],
  [
    'a disk without a name',
    { domain: { devices: { disks: [{ name: 'a' }, {}] } } },
    ['spec.domain.devices.disks[1].name'],
  ],
  ['a quantity that is none', { domain: { devices: {}, memory: { guest: '1 GB' } } }, ['spec.domain.memory.guest']],
  [
    'a quantity in a map',
    { domain: { devices: {}, resources: { limits: { cpu: {} } } } },
    ['spec.domain.resources.limits.cpu'],
  ],
  [
    'too many volumes',
    { domain: { devices: {} }, volumes: Array.from({ length: 257 }, (_, index) => ({ name: `v${index}` })) },
    ['spec.volumes'],
  ],
])('%s is found', (_, spec, fields) => {
  expect(at(spec)).toEqual(fields);
});

test.each<[string, object, string]>([
  ['without metadata', { spec: {} }, 'metadata'],
  ['with labels that are no text', { metadata: { labels: { a: 1 } }, spec: {} }, 'metadata.labels.a'],
  ['with finalizers that are no list', { metadata: { finalizers: 'a' }, spec: {} }, 'metadata.finalizers'],
])('an object %s is found', (_what, object, field) => {
  expect(checkStructure('VirtualMachineInstanceMigration', object).map((cause) => cause.field)).toEqual([field]);
});

test.each<[string, unknown, string[]]>([
  ['beyond 32 bits', { domain: { devices: {}, cpu: { cores: 2 ** 31 } } }, ['spec.domain.cpu.cores']],
  [
    'beyond what is exact',
    { domain: { devices: {} }, terminationGracePeriodSeconds: 2 ** 53 },
    ['spec.terminationGracePeriodSeconds'],
  ],
  [
    'a quantity with a broken exponent',
    { domain: { devices: {}, memory: { guest: '1e1.5' } } },
    ['spec.domain.memory.guest'],
  ],
])('a number %s is found', (_what, spec, fields) => {
  expect(at(spec)).toEqual(fields);
});

test.each([[undefined], [null], [[]], ['x']])('%j is not an object of any kind', (value) => {
  expect(checkStructure('VirtualMachine', value)).toHaveLength(1);
});

test('times and template metadata may be null, as exported manifests have them', () => {
  const template = { metadata: { creationTimestamp: null }, spec: { domain: { devices: {} } } };
  const vm = (of: object) => ({ metadata: {}, spec: { template: of } });
  expect(checkStructure('VirtualMachine', vm(template))).toEqual([]);
  expect(checkStructure('VirtualMachine', vm({ ...template, metadata: null }))).toEqual([]);
});

test('misspelt fields are found, in lists too, and free-form parts are left alone', () => {
  const spec = {
    terminationGracePeriodSecond: 1,
    domain: { devices: { disks: [{ name: 'a', disk: { buss: 'virtio' } }] } },
    constructor: 1,
  };
  expect(unknownFields('VirtualMachineInstance', { metadata: { name: 'x', any: 1 }, spec }).sort()).toEqual([
    'spec.constructor',
    'spec.domain.devices.disks[0].disk.buss',
    'spec.terminationGracePeriodSecond',
  ]);
  const dataVolumeTemplates = [{ metadata: { name: 'dv' }, spec: { source: { blank: {} } } }];
  const vm = { spec: { dataVolumeTemplates, template: { spec: { domain: { devices: {} } } } } };
  expect(unknownFields('VirtualMachine', vm)).toEqual([]);
});

test('the fields of a customary installation manifest are all known', () => {
  const spec = {
    certificateRotateStrategy: { selfSigned: { ca: { duration: '168h' } } },
    configuration: {
      developerConfiguration: { featureGates: ['LiveMigration'], useEmulation: true },
      mediatedDevicesConfiguration: { mediatedDeviceTypes: ['nvidia-222'] },
      migrations: { parallelMigrationsPerCluster: 3, bandwidthPerMigration: '64Mi', network: 'migration' },
      network: { defaultNetworkInterface: 'masquerade', binding: { b: { sidecarImage: 'x' } } },
      permittedHostDevices: { pciHostDevices: [{ pciVendorSelector: '10DE:1EB8', resourceName: 'nvidia.com/t4' }] },
      smbios: { family: 'f' },
    },
    customizeComponents: {
      patches: [{ resourceType: 'Deployment', resourceName: 'virt-api', patch: '{}', type: 'merge' }],
    },
    imagePullPolicy: 'IfNotPresent',
    infra: { replicas: 2, nodePlacement: { nodeSelector: { a: 'b' } } },
    workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] },
  };
  const kubevirt = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt' }, spec };
  expect(checkStructure('KubeVirt', kubevirt)).toEqual([]);
  expect(unknownFields('KubeVirt', kubevirt)).toEqual([]);
});

test('the fields of a customary virtual machine are all known', () => {
  const spec = {
    runStrategy: 'Always',
    instancetype: { kind: 'VirtualMachineClusterInstancetype', name: 'u1.small' },
    dataVolumeTemplates: [{ metadata: { name: 'dv', creationTimestamp: null }, spec: { pvc: {}, source: {} } }],
    template: {
      metadata: { creationTimestamp: null, labels: { 'kubevirt.io/vm': 'x' } },
      spec: {
        domain: {
          clock: { utc: {}, timer: { hpet: { present: false }, pit: { tickPolicy: 'delay' }, hyperv: {} } },
          cpu: { cores: 2, dedicatedCpuPlacement: true, numa: { guestMappingPassthrough: {} } },
          devices: {
            disks: [
              { name: 'a', bootOrder: 1, disk: { bus: 'virtio' } },
              { name: 'c', cdrom: { bus: 'sata' } },
            ],
            interfaces: [{ name: 'default', masquerade: {}, ports: [{ port: 22 }] }],
            rng: {},
            tpm: { persistent: true },
          },
          features: {
            acpi: {},
            apic: {},
            hyperv: { relaxed: {}, spinlocks: { spinlocks: 8191 }, vapic: {} },
            smm: { enabled: true },
          },
          firmware: { bootloader: { efi: { secureBoot: true } } },
          resources: { requests: { memory: '1Gi', cpu: 1 } },
        },
        accessCredentials: [
          {
            sshPublicKey: {
              source: { secret: { secretName: 's' } },
              propagationMethod: { qemuGuestAgent: { users: ['u'] } },
            },
          },
        ],
        evictionStrategy: 'LiveMigrate',
        networks: [{ name: 'default', pod: {} }],
        readinessProbe: { guestAgentPing: {}, initialDelaySeconds: 120 },
        volumes: [
          { name: 'a', dataVolume: { name: 'dv' } },
          { name: 'c', cloudInitNoCloud: { userData: 'x' } },
        ],
      },
    },
  };
  const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'x' }, spec };
  expect(checkStructure('VirtualMachine', vm)).toEqual([]);
  expect(unknownFields('VirtualMachine', vm)).toEqual([]);
});
