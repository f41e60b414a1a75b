import type { Node, Secret, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { get, kubectl, kubectlWith, productNamespace, tryKubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { apply, eventsOf, freshNamespace, getVm, getVmi, tinyVm, untilPhase } from './support/machines.ts';

const ns = 'e2e-controller';

beforeAll(async () => {
  await freshNamespace(ns);
}, 120_000);
afterAll(async () => {
  await tryKubectl(undefined, 'delete', 'namespace', ns, '--wait=false');
});

const call = (name: string, subresource: string, body: object = {}): Promise<string> =>
  kubectlWith(
    body,
    'replace',
    '--raw',
    `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/virtualmachines/${name}/${subresource}`,
    '-f',
    '-',
  );

const untilPrinted = (name: string, status: string): Promise<VirtualMachine> =>
  eventually(`${name} is ${status}`, 60_000, async () => {
    const vm = await getVm(ns, name);
    if (vm?.status?.printableStatus === status) return vm;
    throw new Error(`it is ${vm?.status?.printableStatus}: ${JSON.stringify(vm?.status?.conditions)}`);
  });

const untilAnother = (name: string, than: VirtualMachineInstance): Promise<VirtualMachineInstance> =>
  eventually(`a new instance of ${name}`, 60_000, async () => {
    const vmi = await getVmi(ns, name);
    return vmi !== undefined && vmi.metadata.uid !== than.metadata.uid && vmi;
  });

test('Manual: nothing by itself, then start, restart, stop and a paused start as asked', async () => {
  const brief = { terminationGracePeriodSeconds: 0 };
  await apply(tinyVm(ns, 'manual', 'Manual', brief));
  await untilPrinted('manual', 'Stopped');
  expect(await getVmi(ns, 'manual')).toBeUndefined();

  await call('manual', 'start');
  const first = await untilPhase(ns, 'manual', 'Running');
  await untilPrinted('manual', 'Running');

  await call('manual', 'restart');
  await untilAnother('manual', first);
  await untilPhase(ns, 'manual', 'Running');

  await call('manual', 'stop');
  await eventually('the instance is gone', 30_000, async () => (await getVmi(ns, 'manual')) === undefined);
  const stopped = await untilPrinted('manual', 'Stopped');
  expect(stopped.status?.stateChangeRequests).toBeUndefined();
  expect(stopped.status?.created ?? false).toBe(false);

  await call('manual', 'start', { paused: true });
  const paused = await untilPrinted('manual', 'Paused');
  expect(paused.status?.ready ?? false).toBe(false);
  await kubectl('-n', ns, 'delete', 'vm', 'manual', '--timeout=30s');
  expect(await getVmi(ns, 'manual')).toBeUndefined();
});

test('a launcher pod that is lost before the guest ran: Failed with the reason, and a growing delay before the next', async () => {
  const image = 'localhost/yagura/nothing:none';
  await apply(tinyVm(ns, 'unlucky', 'Always', { volumes: [{ name: 'root', containerDisk: { image } }] }));
  await untilPrinted('unlucky', 'ErrImagePull').catch(() => untilPrinted('unlucky', 'ImagePullBackOff'));
  await kubectl('-n', ns, 'delete', 'pod', '-l', 'vm.kubevirt.io/name=unlucky', '--force', '--grace-period=0');
  const vm = await untilPrinted('unlucky', 'CrashLoopBackOff');
  expect(vm.status?.startFailure).toMatchObject({ consecutiveFailCount: 1 });
  const reasons = (await eventsOf(ns, 'unlucky')).map(({ reason }) => reason);
  // It is seen being deleted, or gone already.
  expect(reasons.filter((reason) => /^LauncherPod(Deleted|Gone)$/.test(reason))).toHaveLength(1);
  await eventually('the next start', 30_000, async () => (await getVmi(ns, 'unlucky')) !== undefined);
  await kubectl('-n', ns, 'delete', 'vm', 'unlucky', '--timeout=60s');
});

test('a node whose virt-handler has long been silent takes no more guests', async () => {
  const silent = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'e2e-silent',
      labels: { 'kubevirt.io/schedulable': 'true' },
      annotations: { 'kubevirt.io/heartbeat': new Date(Date.now() - 6 * 60_000).toISOString() },
    },
  };
  await tryKubectl(undefined, 'delete', 'node', 'e2e-silent');
  await kubectlWith(silent, 'create', '-f', '-');
  try {
    await eventually('the node is taken out', 10_000, async () => {
      const node = await get<Node>('node', 'e2e-silent');
      return node?.metadata.labels?.['kubevirt.io/schedulable'] === 'false';
    });
  } finally {
    await kubectl('delete', 'node', 'e2e-silent');
  }
});

test('a lost certificate is made again', async () => {
  const name = 'kubevirt-controller-certs';
  const before = await get<Secret>('secret', name, productNamespace);
  await kubectl('-n', productNamespace, 'delete', 'secret', name);
  const after = await eventually('the secret is back', 90_000, () => get<Secret>('secret', name, productNamespace));
  expect(after.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after.data?.['tls.crt']).toBeDefined();
}, 120_000);
