import { kubevirtConfig } from '../config.ts';
import type {
  KubeVirtConfiguration,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
} from '../types.ts';
import { defaultVirtualMachine, defaultVirtualMachineInstance, withStatusOf } from './defaults.ts';

const UUID = '5e1f0000-0000-4000-8000-000000000001';
const source = { uuid: () => UUID, now: () => '2026-01-01T00:00:00Z' };
const config = (configuration: KubeVirtConfiguration = {}) =>
  kubevirtConfig({ metadata: { name: 'kubevirt' }, spec: { configuration } });

function instance(spec: Partial<VirtualMachineInstanceSpec> = {}): VirtualMachineInstance {
  return {
    metadata: { name: 'demo', namespace: 'default' },
    spec: { domain: { memory: { guest: '128Mi' }, devices: {} }, ...spec },
  };
}

const defaulted = (spec?: Partial<VirtualMachineInstanceSpec>, configuration?: KubeVirtConfiguration) =>
  defaultVirtualMachineInstance(instance(spec), config(configuration), source);

test('an instance that says only its memory gets the rest', () => {
  expect(defaulted()).toEqual({
    metadata: {
      name: 'demo',
      namespace: 'default',
      annotations: { 'kubevirt.io/pci-topology-version': 'v3' },
      finalizers: ['kubevirt.io/foregroundDeleteVirtualMachine'],
    },
    spec: {
      architecture: 'amd64',
      evictionStrategy: 'None',
      networks: [{ name: 'default', pod: {} }],
      domain: {
        machine: { type: 'q35' },
        cpu: { sockets: 1, cores: 1, threads: 1, model: 'host-model' },
        memory: { guest: '128Mi' },
        features: { acpi: { enabled: true } },
        firmware: { uuid: UUID },
        devices: { interfaces: [{ name: 'default', bridge: {} }] },
      },
    },
    status: {
      phase: 'Pending',
      phaseTransitionTimestamps: [{ phase: 'Pending', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' }],
      runtimeUser: 107,
      currentCPUTopology: { sockets: 1, cores: 1, threads: 1 },
      memory: { guestAtBoot: '128Mi', guestRequested: '128Mi', guestCurrent: '128Mi' },
    },
  });
});

test('defaulting does not change its argument, and twice is once', () => {
  const before = instance({ volumes: [{ name: 'root', containerDisk: { image: 'a:1' } }] });
  const copy = structuredClone(before);
  const once = defaultVirtualMachineInstance(before, config(), source);
  expect(before).toEqual(copy);
  expect(defaultVirtualMachineInstance(once, config(), { ...source, uuid: () => 'other' })).toEqual(once);
});

test('what the user decided stays', () => {
  const spec: VirtualMachineInstanceSpec = {
    architecture: 'arm64',
    evictionStrategy: 'External',
    networks: [{ name: 'n', pod: {} }],
    domain: {
      machine: { type: 'virt' },
      cpu: { cores: 2, model: 'host-passthrough' },
      memory: { guest: '1Gi' },
      features: { acpi: { enabled: false } },
      firmware: { uuid: 'mine', serial: 's' },
      devices: { interfaces: [{ name: 'n', masquerade: {} }] },
    },
  };
  expect(defaultVirtualMachineInstance({ metadata: { name: 'x' }, spec }, config(), source).spec).toEqual({
    ...spec,
    domain: { ...spec.domain, cpu: { sockets: 1, cores: 2, threads: 1, model: 'host-passthrough' } },
  });
});

test('cluster configuration decides machine, CPU model, eviction and network', () => {
  const { spec } = defaulted(undefined, {
    architectureConfiguration: { amd64: { machineType: 'pc-q35-10.0' } },
    cpuModel: 'Haswell',
    evictionStrategy: 'LiveMigrate',
    network: { defaultNetworkInterface: 'masquerade' },
  });
  expect(spec.domain.machine?.type).toBe('pc-q35-10.0');
  expect(spec.domain.cpu?.model).toBe('Haswell');
  expect(spec.evictionStrategy).toBe('LiveMigrate');
  expect(spec.domain.devices.interfaces).toEqual([{ name: 'default', masquerade: {} }]);
});

test.each([
  ['limits.memory', { limits: { memory: '256Mi' } }, '256Mi'],
  ['requests.memory', { requests: { memory: '64Mi' }, limits: { memory: '256Mi' } }, '64Mi'],
])('guest memory follows %s', (_, resources, guest) => {
  expect(defaulted({ domain: { resources, devices: {} } }).spec.domain.memory?.guest).toBe(guest);
});

test.each([
  [{ limits: { cpu: '2500m' } }, 3],
  [{ requests: { cpu: 2 } }, 2],
  [{ requests: { cpu: '100m' } }, 1],
])('CPUs of %j make %s sockets', (resources, sockets) => {
  const { spec } = defaulted({ domain: { resources, devices: {}, memory: { guest: 1 } } });
  expect(spec.domain.cpu).toMatchObject({ sockets, cores: 1, threads: 1 });
});

test('a CPU limit is a request too, an explicit request stays', () => {
  const of = (resources: NonNullable<VirtualMachineInstanceSpec['domain']['resources']>) =>
    defaulted({ domain: { resources, devices: {} } }).spec.domain.resources?.requests;
  expect(of({ limits: { cpu: '2' } })).toEqual({ cpu: '2' });
  expect(of({ limits: { cpu: '2' }, requests: { cpu: '1' } })).toEqual({ cpu: '1' });
});

test('volumes without a disk get one, disks without a target are hard disks on sata', () => {
  const { spec } = defaulted({
    volumes: [
      { name: 'a', emptyDisk: { capacity: '1Gi' } },
      { name: 'b', emptyDisk: { capacity: '1Gi' } },
      { name: 'c', emptyDisk: { capacity: '1Gi' } },
    ],
    domain: { devices: { disks: [{ name: 'b' }, { name: 'c', cdrom: {} }] } },
  });
  expect(spec.domain.devices.disks).toEqual([
    { name: 'b', disk: { bus: 'sata' } },
    { name: 'c', cdrom: { bus: 'sata', readonly: true, tray: 'closed' } },
    { name: 'a', disk: { bus: 'sata' } },
  ]);
});

test.each([
  ['a/b', 'Always'],
  ['a/b:latest', 'Always'],
  ['registry:5000/a/b', 'Always'],
  ['registry:5000/a/b:1', 'IfNotPresent'],
  ['a/b@sha256:00', 'IfNotPresent'],
])('container disk %s is pulled %s', (image, policy) => {
  const { spec } = defaulted({ volumes: [{ name: 'r', containerDisk: { image } }] });
  expect(spec.volumes?.[0]?.containerDisk?.imagePullPolicy).toBe(policy);
});

test.each([
  ['autoattachPodInterface is false', { domain: { devices: { autoattachPodInterface: false } } }],
  ['there is a network', { networks: [{ name: 'n', pod: {} }] }],
  ['there is an interface', { domain: { devices: { interfaces: [{ name: 'n', masquerade: {} }] } } }],
])('no interface is added when %s', (_, spec) => {
  const before = instance(spec).spec;
  const after = defaulted(spec).spec;
  expect([after.networks, after.domain.devices.interfaces]).toEqual([
    before.networks,
    before.domain.devices.interfaces,
  ]);
});

test('input, watchdog and probes are completed', () => {
  const { spec } = defaulted({
    livenessProbe: { httpGet: { port: 80 }, periodSeconds: 5 },
    domain: { devices: { autoattachInputDevice: true, watchdog: { name: 'w' } } },
  });
  expect(spec.domain.devices.inputs).toEqual([{ name: 'default-0', type: 'tablet', bus: 'usb' }]);
  expect(spec.domain.devices.watchdog).toEqual({ name: 'w', i6300esb: { action: 'reset' } });
  expect(spec.livenessProbe).toEqual({
    httpGet: { port: 80 },
    periodSeconds: 5,
    timeoutSeconds: 1,
    successThreshold: 1,
    failureThreshold: 3,
  });
});

test('the status that a user sends is not taken', () => {
  const sent = { ...instance(), status: { phase: 'Running' as const, nodeName: 'n' } };
  expect(defaultVirtualMachineInstance(sent, config(), source).status).toMatchObject({ phase: 'Pending' });
  expect(withStatusOf(sent, { ...instance(), status: { phase: 'Scheduled' } }).status).toEqual({ phase: 'Scheduled' });
  expect(withStatusOf(sent, instance())).not.toHaveProperty('status');
});

const machine = (spec: VirtualMachineInstanceSpec): VirtualMachine => ({
  metadata: { name: 'demo' },
  spec: { runStrategy: 'Always', template: { spec } },
});

test('a virtual machine keeps machine type, architecture and identity from its creation on', () => {
  const created = defaultVirtualMachine(machine(instance().spec), config(), source);
  expect(created.spec.template.spec).toMatchObject({
    architecture: 'amd64',
    domain: { machine: { type: 'q35' }, firmware: { uuid: UUID, serial: UUID } },
  });
  const other = { uuid: () => 'other' };
  const newer = config({ architectureConfiguration: { amd64: { machineType: 'pc-q35-11.0' } } });
  expect(defaultVirtualMachine(machine(instance().spec), newer, other, created)).toEqual(created);
});
