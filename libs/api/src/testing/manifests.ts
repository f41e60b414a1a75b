import type { VirtualMachine, VirtualMachineInstance } from '../types.ts';

type Spec = VirtualMachineInstance['spec'];

/** Nearly every field that a spec has, in two machines, because some of them exclude each other. */
const spec: Spec = {
  hostname: 'guest',
  subdomain: 'sub',
  terminationGracePeriodSeconds: 30,
  evictionStrategy: 'None',
  startStrategy: 'Paused',
  architecture: 'amd64',
  priorityClassName: 'high',
  schedulerName: 'default-scheduler',
  nodeSelector: { disk: 'ssd' },
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['10.0.0.1', '::1'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 1 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } } },
      ],
    },
  },
  readinessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTP' }, initialDelaySeconds: 1, periodSeconds: 5 },
  networks: [{ name: 'default', pod: { vmNetworkCIDR: '10.1.0.0/24' } }],
  volumes: [
    { name: 'root', containerDisk: { image: 'registry/guest:1', path: '/disk/a.img', imagePullPolicy: 'Always' } },
    { name: 'empty', emptyDisk: { capacity: '1Gi' } },
    { name: 'init', cloudInitNoCloud: { userData: '#cloud-config', networkDataBase64: 'e30=' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'c', readOnly: true } },
    { name: 'map', configMap: { name: 'm', optional: true } },
    { name: 'secret', secret: { secretName: 's', volumeLabel: 'l' } },
    { name: 'api', downwardAPI: { fields: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  ],
  domain: {
    machine: { type: 'q35' },
    cpu: { sockets: 1, cores: 2, threads: 1, model: 'Nehalem', features: [{ name: 'vmx', policy: 'disable' }] },
    memory: { guest: '128Mi', reservedOverhead: { addedOverhead: '16Mi' } },
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '2', memory: '1Gi' } },
    chassis: { manufacturer: 'm', version: '1', serial: 's', asset: 'a', sku: 'k' },
    clock: {
      utc: { offsetSeconds: 60 },
      timer: { hpet: { present: false }, rtc: { tickPolicy: 'catchup', track: 'guest' } },
    },
    features: {
      acpi: { enabled: true },
      apic: { endOfInterrupt: true },
      smm: {},
      kvm: { hidden: true },
      hyperv: {
        relaxed: {},
        vapic: {},
        spinlocks: { spinlocks: 8191 },
        synictimer: { direct: {} },
        vendorid: { vendorid: 'v' },
      },
    },
    firmware: {
      uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223',
      serial: 's',
      bootloader: { efi: { secureBoot: false } },
      kernelBoot: { kernelArgs: 'quiet', container: { image: 'k:1', kernelPath: '/vmlinuz', initrdPath: '/initrd' } },
    },
    ioThreadsPolicy: 'supplementalPool',
    ioThreads: { supplementalPoolThreadCount: 2 },
    devices: {
      disks: [
        {
          name: 'root',
          bootOrder: 1,
          serial: 'abc',
          cache: 'none',
          io: 'native',
          disk: { bus: 'virtio' },
          dedicatedIOThread: true,
        },
        {
          name: 'empty',
          disk: { bus: 'scsi' },
          shareable: true,
          errorPolicy: 'report',
          blockSize: { custom: { logical: 512, physical: 4096 } },
        },
        { name: 'init', cdrom: { bus: 'sata', tray: 'closed', readonly: true } },
        { name: 'claim', disk: { bus: 'usb', readonly: true } },
      ],
      interfaces: [
        {
          name: 'default',
          masquerade: {},
          model: 'e1000e',
          macAddress: 'de:ad:00:00:be:af',
          bootOrder: 2,
          acpiIndex: 3,
          state: 'up',
          ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
          dhcpOptions: { bootFileName: 'b', ntpServers: ['10.0.0.1'], privateOptions: [{ option: 240, value: 'x' }] },
        },
      ],
      inputs: [{ name: 'tablet', type: 'tablet', bus: 'virtio' }],
      watchdog: { name: 'w', i6300esb: { action: 'poweroff' } },
      sound: { name: 's', model: 'ich9' },
      video: { type: 'virtio' },
      panicDevices: [{ model: 'isa' }],
      tpm: {},
      rng: {},
      blockMultiQueue: true,
      networkInterfaceMultiqueue: true,
      autoattachMemBalloon: false,
      logSerialConsole: false,
    },
  },
};

const small: Spec = {
  volumes: [{ name: 'root', containerDisk: { image: 'registry/guest' } }],
  networks: [{ name: 'default', pod: {} }],
  accessCredentials: [
    {
      userPassword: { source: { secret: { secretName: 's' } }, propagationMethod: { qemuGuestAgent: {} } },
    },
  ],
  livenessProbe: { tcpSocket: { port: 22 } },
  domain: {
    memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } },
    clock: { timezone: 'Europe/Lisbon' },
    features: { hypervPassthrough: {} },
    firmware: { bootloader: { bios: { useSerial: true } } },
    ioThreadsPolicy: 'auto',
    devices: {
      disks: [{ name: 'root', disk: {} }],
      interfaces: [{ name: 'default', masquerade: {} }],
      autoattachGraphicsDevice: false,
      autoattachInputDevice: true,
    },
  },
};

const instance = (name: string, of: Spec): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name, namespace: 'ns', labels: { app: 'x' }, annotations: { note: 'y' } },
  spec: of,
});

/** Instances that are valid, to be spoilt. */
export const INSTANCES: readonly VirtualMachineInstance[] = [instance('whole', spec), instance('small', small)];

/** The same as virtual machines. */
export const MACHINES: readonly VirtualMachine[] = INSTANCES.map(({ metadata, spec: template }) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata,
  spec: { runStrategy: 'Halted', template: { metadata: { labels: { app: 'x' } }, spec: template } },
}));
