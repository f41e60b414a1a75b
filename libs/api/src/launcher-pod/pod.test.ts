import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachineInstance } from '../defaults/defaults.ts';
import type { Pod } from '../kubernetes.ts';
import { compareQuantities, quantityValue } from '../quantity.ts';
import type { KubeVirtConfiguration, VirtualMachineInstance, VirtualMachineInstanceSpec } from '../types.ts';
import { containerDiskContainerName } from './container-disks.ts';
import { hostnameOf, labelValue, launcherPodName } from './metadata.ts';
import { renderLauncherPod } from './pod.ts';

const EMULATED: KubeVirtConfiguration = {
  developerConfiguration: { useEmulation: true },
  network: { defaultNetworkInterface: 'masquerade' },
};
const KVM: KubeVirtConfiguration = { network: { defaultNetworkInterface: 'masquerade' } };

function stored(
  spec: Partial<VirtualMachineInstanceSpec>,
  configuration: KubeVirtConfiguration,
): VirtualMachineInstance {
  const vmi: VirtualMachineInstance = {
    metadata: {
      name: 'demo',
      namespace: 'shop',
      uid: '11111111-2222-3333-4444-555555555555',
      labels: { app: 'demo' },
      annotations: { 'example.com/note': 'kept', 'kubectl.kubernetes.io/last-applied-configuration': 'dropped' },
    },
    spec: { domain: { memory: { guest: '128Mi' }, devices: {} }, ...spec },
  };
  const source = { uuid: () => '5e1f0000-0000-4000-8000-000000000001', now: () => '2026-01-01T00:00:00Z' };
  return defaultVirtualMachineInstance(vmi, configOf(configuration), source);
}

const configOf = (configuration: KubeVirtConfiguration) =>
  kubevirtConfig({ metadata: { name: 'kubevirt' }, spec: { configuration } });

function render(spec: Partial<VirtualMachineInstanceSpec>, configuration: KubeVirtConfiguration = KVM): Pod {
  return renderLauncherPod(stored(spec, configuration), configOf(configuration), {
    image: 'localhost/yagura/virt-launcher:dev',
    podName: 'virt-launcher-demo-abcde',
    claims: new Map([['blocks', 'Block']]),
  });
}

const CASES: [name: string, spec: Partial<VirtualMachineInstanceSpec>, configuration: KubeVirtConfiguration][] = [
  ['bare', { domain: { memory: { guest: '128Mi' }, devices: { autoattachPodInterface: false } } }, KVM],
  [
    'container-disk',
    {
      terminationGracePeriodSeconds: 0,
      volumes: [
        { name: 'scratch', emptyDisk: { capacity: '1Gi' } },
        { name: 'root', containerDisk: { image: 'localhost/yagura/guest-debian:dev', imagePullSecret: 'registry' } },
        { name: 'init', cloudInitNoCloud: { userData: '#cloud-config' } },
      ],
    },
    EMULATED,
  ],
  [
    'kernel-boot',
    {
      domain: {
        memory: { guest: '128Mi' },
        devices: {},
        firmware: {
          kernelBoot: { kernelArgs: 'console=ttyS0', container: { image: 'k:1', kernelPath: '/boot/vmlinuz' } },
        },
      },
    },
    EMULATED,
  ],
  [
    'cloud-init-secrets',
    {
      volumes: [
        { name: 'init', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'net' } } },
      ],
    },
    KVM,
  ],
  [
    'placement',
    {
      hostname: 'web',
      subdomain: 'shop',
      nodeSelector: { zone: 'a' },
      tolerations: [{ key: 'k', operator: 'Exists' }],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'demo' } } },
          ],
        },
      },
      priorityClassName: 'high',
      schedulerName: 'other',
      serviceAccountName: 'sa',
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.1'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
      livenessProbe: { tcpSocket: { port: 22 } },
      readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5 },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    },
    KVM,
  ],
  [
    'agent-probes',
    {
      terminationGracePeriodSeconds: 60,
      startStrategy: 'Paused',
      livenessProbe: { guestAgentPing: {}, timeoutSeconds: 5, failureThreshold: 10 },
      readinessProbe: { exec: { command: ['/bin/sh', '-c', 'test "$A" = \'b c\''] }, initialDelaySeconds: 20 },
    },
    KVM,
  ],
  [
    'resources',
    {
      domain: {
        devices: { autoattachGraphicsDevice: false },
        cpu: {
          sockets: 2,
          cores: 2,
          model: 'Haswell',
          features: [{ name: 'vmx' }, { name: 'x2apic', policy: 'disable' }],
        },
        memory: { guest: '1Gi', reservedOverhead: { addedOverhead: '10Mi' } },
        resources: {
          requests: { memory: '512Mi', 'ephemeral-storage': '1G', 'example.com/dongle': '1' },
          limits: { memory: '2Gi', cpu: '4', 'example.com/dongle': '1' },
        },
      },
    },
    KVM,
  ],
  [
    'volumes',
    {
      volumes: [
        { name: 'files', persistentVolumeClaim: { claimName: 'files' } },
        { name: 'blocks', persistentVolumeClaim: { claimName: 'blocks', readOnly: true } },
        { name: 'imported', dataVolume: { name: 'imported' } },
        { name: 'later', persistentVolumeClaim: { claimName: 'later', hotpluggable: true } },
        { name: 'scratch', ephemeral: { persistentVolumeClaim: { claimName: 'base' } } },
        { name: 'config', configMap: { name: 'settings', optional: true } },
        { name: 'keys', secret: { secretName: 'keys' } },
        { name: 'about', downwardAPI: { fields: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { name: 'account', serviceAccount: { serviceAccountName: 'robot' } },
        { name: 'answers', sysprep: { configMap: { name: 'answers' } } },
        { name: 'init', cloudInitConfigDrive: { secretRef: { name: 'user' } } },
      ],
    },
    KVM,
  ],
  ['host-disk', { volumes: [{ name: 'local', hostDisk: { path: '/data/vm/disk.img', type: 'DiskOrCreate' } }] }, KVM],
];

describe('golden pods', () => {
  test.each(CASES)('%s', (name, spec, configuration) => {
    const file = join(import.meta.dirname, 'testdata', `${name}.yaml`);
    const text = stringify(render(spec, configuration), { aliasDuplicateObjects: false });
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});

test.each(CASES.filter(([name]) => name !== 'host-disk'))(
  'pod %s is within Pod Security "restricted"',
  (_, spec, configuration) => {
    const pod = render(spec, configuration);
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { name } of pod.spec.securityContext?.sysctls ?? [])
      expect(name).toBe('net.ipv4.ip_unprivileged_port_start');
    expect(pod.spec).not.toHaveProperty('hostNetwork');
    expect(pod.spec).not.toHaveProperty('initContainers');
    for (const container of pod.spec.containers) {
      expect(container.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 107,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
    const kinds = (pod.spec.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
    const allowed = ['emptyDir', 'secret', 'configMap', 'persistentVolumeClaim', 'projected', 'downwardAPI'];
    for (const kind of kinds) expect(allowed).toContain(kind);
  },
);

/** Memory requests of all containers, in bytes. */
const requested = (pod: Pod) =>
  pod.spec.containers.reduce((sum, { resources }) => sum + quantityValue(resources?.requests?.['memory'] ?? 0), 0n);

const MIB = 1024n * 1024n;
const disk = { volumes: [{ name: 'root', containerDisk: { image: 'a:1' } }] };

test.each([
  ['KVM', KVM, 160n],
  ['TCG', EMULATED, 220n],
])(
  'under %s a small guest with a disk, a NIC and a display costs no more than its budget',
  (_, configuration, budget) => {
    const beyond = requested(render(disk, configuration)) - 128n * MIB;
    expect(beyond).toBeLessThanOrEqual(budget * MIB);
    expect(beyond).toBeGreaterThan((budget - 20n) * MIB);
  },
);

test('devices are asked for as the guest needs them', () => {
  const limits = (spec: Partial<VirtualMachineInstanceSpec>, configuration: KubeVirtConfiguration) =>
    render(spec, configuration).spec.containers[0]?.resources?.limits;
  const nic = (model?: 'e1000') => ({
    networks: [{ name: 'n', pod: {} }],
    domain: {
      devices: { interfaces: [{ name: 'n', masquerade: {}, ...(model ? { model } : {}) }] },
      memory: { guest: 1 },
    },
  });
  const none = { domain: { devices: { autoattachPodInterface: false }, memory: { guest: 1 } } };
  const [kvm, tun, vhost] = ['kvm', 'tun', 'vhost-net'].map((device) => `devices.kubevirt.io/${device}`) as [
    string,
    string,
    string,
  ];
  expect(limits(none, EMULATED)).toEqual({});
  expect(limits(none, KVM)).toEqual({ [kvm]: '1' });
  expect(limits(nic(), EMULATED)).toEqual({ [tun]: '1' });
  expect(limits(nic('e1000'), KVM)).toEqual({ [kvm]: '1', [tun]: '1' });
  expect(limits(nic(), KVM)).toEqual({ [kvm]: '1', [tun]: '1', [vhost]: '1' });
});

test('memory follows overcommit, and an explicit request is the user’s own', () => {
  const memory = (configuration: KubeVirtConfiguration, resources?: object) => {
    const domain = { devices: {}, memory: { guest: '1Gi' }, ...(resources ? { resources } : {}) };
    return quantityValue(render({ domain }, configuration).spec.containers[0]?.resources?.requests?.['memory'] ?? 0);
  };
  const double = { ...KVM, developerConfiguration: { memoryOvercommit: 200 } };
  expect(memory(KVM) - memory(double)).toBe(512n * MIB);
  expect(memory(KVM) - memory(KVM, { requests: { memory: '256Mi' } })).toBe(768n * MIB);
  expect(memory(KVM, { overcommitGuestOverhead: true })).toBe(1024n * MIB);
});

test('CPUs are requested by the guest’s word, else by its limit, else by the cluster’s settings', () => {
  const cpu = (configuration: KubeVirtConfiguration, resources?: object) => {
    const domain = { devices: {}, memory: { guest: '64Mi' }, cpu: { cores: 4 }, ...(resources ? { resources } : {}) };
    return render({ domain }, configuration).spec.containers[0]?.resources;
  };
  expect(cpu(KVM)?.requests?.['cpu']).toBe('400m');
  expect(cpu({ developerConfiguration: { cpuAllocationRatio: 1 } })?.requests?.['cpu']).toBe('4');
  expect(cpu({ cpuRequest: '250m' })?.requests?.['cpu']).toBe('250m');
  expect(cpu({ cpuRequest: '250m' }, { requests: { cpu: '1' } })?.requests?.['cpu']).toBe('1');
  expect(cpu(KVM, { limits: { cpu: '2' } })).toMatchObject({ requests: { cpu: '2' }, limits: { cpu: '2' } });
});

test('a guest that asks for as much as it may have is Guaranteed, with all its containers', () => {
  const same = { cpu: '1', memory: '256Mi' };
  const equal = ({ spec }: Pod) =>
    spec.containers.map(({ resources: { requests, limits } = {} }) =>
      ['cpu', 'memory'].every((name) => requests?.[name] !== undefined && requests[name] === limits?.[name]),
    );
  const pod = (resources: object) =>
    render({ ...disk, domain: { devices: {}, memory: { guest: '128Mi' }, resources } });
  expect(equal(pod({ requests: same, limits: same }))).toEqual([true, true]);
  expect(equal(pod({ requests: same }))).toEqual([false, false]);
});

test('huge pages are asked for as such, and not once more as memory', () => {
  const resources = (given?: object) => {
    const memory = { guest: '1Gi', hugepages: { pageSize: '2Mi' } };
    const domain = { devices: {}, memory, ...(given ? { resources: given } : {}) };
    return render({ domain }).spec.containers[0]?.resources;
  };
  expect(resources()?.requests?.['hugepages-2Mi']).toBe('1Gi');
  expect(resources()?.limits?.['hugepages-2Mi']).toBe('1Gi');
  expect(quantityValue(resources()?.requests?.['memory'] ?? 0)).toBeLessThan(200n * MIB);
  const more = resources({ requests: { memory: '1280Mi' }, limits: { memory: '2Gi' } });
  const ordinary = quantityValue(resources()?.requests?.['memory'] ?? 0);
  expect(quantityValue(more?.requests?.['memory'] ?? 0)).toBe(ordinary + 256n * MIB);
  expect(quantityValue(more?.limits?.['memory'] ?? 0)).toBe(ordinary + 1024n * MIB);
});

test('the limit is never below the request', () => {
  const resources = { limits: { memory: '1Gi' } };
  const { requests, limits } = render({ domain: { devices: {}, resources } }).spec.containers[0]?.resources ?? {};
  expect(compareQuantities(limits?.['memory'] ?? 0, requests?.['memory'] ?? 0)).toBeGreaterThanOrEqual(0);
});

test('an instance that is not stored has no pod', () => {
  const vmi = { metadata: { name: 'x' }, spec: { domain: { devices: {} } } };
  expect(() => renderLauncherPod(vmi, configOf(KVM), { image: 'i', podName: 'p' })).toThrow(/no namespace or uid/);
});

test('names stay within their limits, and apart from each other', () => {
  const long = `${'a'.repeat(61)}.b`;
  expect(launcherPodName('demo', 'abcde')).toBe('virt-launcher-demo-abcde');
  expect(launcherPodName('v'.repeat(253), 'abcde')).toHaveLength(253);
  expect(labelValue('demo')).toBe('demo');
  expect(labelValue('x'.repeat(64)).length).toBeLessThanOrEqual(63);
  expect(labelValue(`${'x'.repeat(64)}1`)).not.toBe(labelValue(`${'x'.repeat(64)}2`));
  expect(containerDiskContainerName('root')).toBe('volumeroot');
  expect(containerDiskContainerName('r'.repeat(63))).toHaveLength(63);
  expect(hostnameOf({ metadata: { name: long }, spec: { domain: { devices: {} } } })).toBe('a'.repeat(61));
  expect(hostnameOf({ metadata: { name: 'x' }, spec: { hostname: 'web', domain: { devices: {} } } })).toBe('web');
});
