import { readFileSync } from 'node:fs';
import type { VirtualMachineInstance } from '@yagura/api';
import { get, kubectl, local, nodeExec, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  condition,
  eventsOf,
  freshNamespace,
  getVmi,
  launcherPod,
  type PodObject,
  tinySpec,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-vmi-status';
let vmi: VirtualMachineInstance;
let pod: PodObject & { spec: { containers: { name: string; image: string }[] } };

/** A machine that boots nothing, for what does not need a guest. */
const guestless = (name: string, spec: Partial<VirtualMachineInstance['spec']> = {}) => ({
  ...tinyVmi(ns, name, { terminationGracePeriodSeconds: 0, ...spec }),
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: '32Mi' }, devices: { autoattachPodInterface: false } },
    ...spec,
  },
});

beforeAll(async () => {
  await freshNamespace(ns);
  const { domain, volumes } = tinySpec();
  await apply(
    tinyVmi(ns, 'full', {
      hostname: 'web',
      subdomain: 'shop',
      domain: {
        ...domain,
        devices: {
          ...domain.devices,
          disks: [...(domain.devices.disks ?? []), { name: 'init', disk: { bus: 'sata' } }],
        },
      },
      volumes: [...(volumes ?? []), { name: 'init', cloudInitNoCloud: { userData: '#cloud-config\n' } }],
    }),
  );
  const devices = { autoattachPodInterface: false };
  const model = { memory: { guest: '32Mi' }, cpu: { model: 'qemu64' }, devices };
  await apply(guestless('paused', { startStrategy: 'Paused', domain: model }));
  await untilAgent(ns, 'full', 180_000);
  // On a busy machine the agent's first answers come after its first sign of life.
  vmi = await eventually('the agent has told its system', 30_000, async () => {
    const now = await getVmi(ns, 'full');
    return now?.status?.guestOSInfo?.prettyName !== undefined && now;
  });
  pod = (await launcherPod(vmi)) as typeof pod;
}, 240_000);

afterAll(() => kubectl('delete', 'namespace', ns, '--wait=false'));

test('every field of the status of a running guest has its value', () => {
  const { status } = vmi;
  expect(status).toMatchObject({
    phase: 'Running',
    nodeName: pod.spec.nodeName,
    activePods: { [pod.metadata.uid]: pod.spec.nodeName },
    qosClass: 'Burstable',
    launcherContainerImageVersion: pod.spec.containers.find(({ name }) => name === 'compute')?.image,
    migrationTransport: 'Unix',
    migrationMethod: 'BlockMigration',
    runtimeUser: 107,
    selinuxContext: 'none',
    machine: { type: expect.stringMatching(/^pc-q35-/) },
    currentCPUTopology: { cores: 1, sockets: 1, threads: 1 },
    memory: {
      guestAtBoot: '128Mi',
      guestRequested: '128Mi',
      guestCurrent: '128Mi',
      memoryOverhead: expect.any(String),
    },
    guestOSInfo: { prettyName: expect.stringContaining('Yagura') },
    volumeStatus: [
      { name: 'init', target: 'sda', size: expect.any(Number) },
      { name: 'root', target: 'vda' },
    ],
  });
  expect(status?.volumeStatus?.[1]).not.toHaveProperty('size');
  expect(status?.reason).toBeUndefined();
  expect(status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
    'Pending',
    'Scheduling',
    'Scheduled',
    'Running',
  ]);
  expect(vmi.metadata.labels?.['kubevirt.io/nodeName']).toBe(pod.spec.nodeName);
  expect(vmi.metadata.labels).not.toHaveProperty(['kubevirt.io/outdatedLauncherImage']);
});

test('the conditions say what holds, and nothing of what does not', () => {
  const types = (vmi.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`);
  expect(types).toEqual(expect.arrayContaining(['Ready=True', 'AgentConnected=True', 'SoftwareEmulation=True']));
  for (const absent of ['PodScheduled', 'Synchronized', 'Paused', 'Provisioning'])
    expect(condition(vmi, absent)).toBeUndefined();
});

interface AuditEvent {
  verb: string;
  stage: string;
  requestReceivedTimestamp: string;
  responseStatus?: { code: number };
}

test('from its creation to its agent an instance is written no more than four times', () => {
  const writes = readFileSync(local('logs/audit.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`/namespaces/${ns}/virtualmachineinstances/full`))
    .map((line) => JSON.parse(line) as AuditEvent)
    // Of this instance, not of one of that name in an earlier run.
    .filter(({ requestReceivedTimestamp: at }) => at >= (vmi.metadata.creationTimestamp ?? ''))
    .filter(({ verb, stage }) => ['patch', 'update'].includes(verb) && stage === 'ResponseComplete')
    .filter(({ responseStatus }) => responseStatus?.code === 200);
  expect(writes.length).toBeGreaterThan(0);
  expect(writes.length).toBeLessThanOrEqual(4);
});

test('a node says what guests can be there, and a pod asks for it', async () => {
  const { metadata, spec } = await launcherPod(await untilPhase(ns, 'paused', 'Running', 90_000));
  const node = await get<{ metadata: { labels: Record<string, string> } }>('node', spec.nodeName ?? '');
  expect(node?.metadata.labels).toMatchObject({
    'cpu-model.node.kubevirt.io/qemu64': 'true',
    'machine-type.node.kubevirt.io/q35': 'true',
  });
  const selector = await kubectl('-n', ns, 'get', 'pod', metadata.name, '-o', 'jsonpath={.spec.nodeSelector}');
  expect(JSON.parse(selector)).toMatchObject({
    'cpu-model.node.kubevirt.io/qemu64': 'true',
    'machine-type.node.kubevirt.io/q35': 'true',
  });
});

test('a model that no node can give waits, and says that no node fits', async () => {
  const domain = {
    memory: { guest: '32Mi' },
    cpu: { model: 'no-such-model' },
    devices: { autoattachPodInterface: false },
  };
  await apply(guestless('nowhere', { domain }));
  await kubectl('-n', ns, 'wait', 'vmi/nowhere', '--for=condition=PodScheduled=False', '--timeout=30s');
  const scheduled = condition(await getVmi(ns, 'nowhere'), 'PodScheduled');
  expect(scheduled).toMatchObject({
    reason: 'Unschedulable',
    message: expect.stringContaining('node affinity/selector'),
  });
  await kubectl('-n', ns, 'delete', 'vmi', 'nowhere', '--timeout=60s');
}, 120_000);

test('a start that is paused runs, is not ready, and becomes so when it is let go', async () => {
  const paused = await untilPhase(ns, 'paused', 'Running', 90_000);
  await kubectl('-n', ns, 'wait', 'vmi/paused', '--for=condition=Paused', '--timeout=20s');
  const launcher = await launcherPod(paused);
  const gate = async () =>
    kubectl(
      ...['-n', ns, 'get', 'pod', launcher.metadata.name, '-o'],
      'jsonpath={.status.conditions[?(@.type=="kubevirt.io/virtual-machine-unpaused")].status}',
    );
  await eventually('the gate is shut', 20_000, async () => {
    if ((await gate()) !== 'False') throw new Error(`the gate says ${await gate()}`);
    return true;
  });
  expect(condition(await getVmi(ns, 'paused'), 'Ready')?.status).toBe('False');
  expect((await yagura('unpause', `${ns}/paused`)).code).toBe(0);
  await kubectl('-n', ns, 'wait', 'vmi/paused', '--for=condition=Ready', '--timeout=20s');
  expect(await gate()).toBe('True');
}, 120_000);

test('an image that is not to be had is named, and told by one event', async () => {
  await apply(
    tinyVmi(ns, 'no-image', { volumes: [{ name: 'root', containerDisk: { image: 'localhost/yagura/none:dev' } }] }),
  );
  const trouble = await eventually('the trouble is told', 60_000, async () => {
    const synchronized = condition(await getVmi(ns, 'no-image'), 'Synchronized');
    if (!synchronized) throw new Error('nothing is told yet');
    return synchronized;
  });
  expect(trouble.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
  expect(trouble.message).toContain('localhost/yagura/none:dev');
  expect(trouble.message).toContain('volume "root"');
  const events = (await eventsOf(ns, 'no-image')).filter(({ reason }) => reason === trouble.reason);
  expect(events).toHaveLength(1);
}, 120_000);

test('a container that dies beside the guest is named by what is not ready, and the guest goes on', async () => {
  const uid = pod.metadata.uid.replaceAll('-', '[-_]');
  const find = `for pid in $(pgrep -f /usr/bin/container-disk); do grep -q 'pod${uid}' /proc/$pid/cgroup && kill -9 $pid; done; true`;
  await nodeExec(pod.spec.nodeName ?? '', 'sh', '-c', find);
  const ready = await eventually('the container is named', 30_000, async () => {
    const now = condition(await getVmi(ns, 'full'), 'Ready');
    if (!now?.message?.includes('volumeroot')) throw new Error(`Ready is ${JSON.stringify(now)}`);
    return now;
  });
  expect(ready).toMatchObject({ status: 'False', reason: 'ContainersNotReady' });
  expect(ready.message).toContain('container volumeroot ended with exit code 137');
  expect((await getVmi(ns, 'full'))?.status?.phase).toBe('Running');
}, 60_000);

test('settings without effect stand in the KubeVirt object’s status while they are set', async () => {
  const patch = (value: unknown) =>
    kubectl(
      ...['-n', 'yagura', 'patch', 'kubevirt', 'kubevirt', '--type=merge', '-p'],
      JSON.stringify({ spec: { configuration: { virtualMachineInstancesPerNode: value } } }),
    );
  const kubevirt = () =>
    get<{ status: { phase: string; conditions: { type: string; message: string }[] } }>(
      'kubevirt',
      'kubevirt',
      'yagura',
    );
  const ignored = async () => (await kubevirt())?.status.conditions.find(({ type }) => type === 'SettingsIgnored');
  await patch(110);
  try {
    await eventually('the setting is named', 20_000, async () => {
      const { message = '' } = (await ignored()) ?? {};
      if (!message.includes('spec.configuration.virtualMachineInstancesPerNode'))
        throw new Error(`it says: ${message}`);
      return true;
    });
  } finally {
    await patch(null);
  }
  await eventually('it is named no more', 20_000, async () => {
    const left = await ignored();
    if (left?.message.includes('virtualMachineInstancesPerNode')) throw new Error(left.message);
    return true;
  });
  expect((await kubevirt())?.status.phase).toBe('Deployed');
}, 60_000);
