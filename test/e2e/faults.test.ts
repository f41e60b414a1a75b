import type { VirtualMachineInstance } from '@yagura/api';
import { get, kubectl, productNamespace } from './support/cluster.ts';
import { type Component, componentPod, signalComponent } from './support/components.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  bootId,
  eventsOf,
  freshNamespace,
  getVmi,
  inLauncher,
  launcherPod,
  type PodObject,
  pids,
  tinyVm,
  tinyVmi,
  untilAgent,
  untilPhase,
} from './support/machines.ts';

const ns = 'e2e-faults';
let vmi: VirtualMachineInstance;
let pod: PodObject;
let boot: string;

const killAll = async (which: PodObject, pattern: string): Promise<void> => {
  const found = await pids(which, pattern);
  expect(found.length).toBeGreaterThan(0);
  await inLauncher(which, `kill -9 ${found.join(' ')}`);
};

/** The same guest, never rebooted, its pod never replaced. */
const untouched = async (): Promise<void> => {
  const now = await untilAgent(ns, 'steady');
  expect((await launcherPod(now)).metadata.uid).toBe(pod.metadata.uid);
  expect(await bootId(pod)).toBe(boot);
};

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(tinyVmi(ns, 'steady'));
  vmi = await untilAgent(ns, 'steady');
  pod = await launcherPod(vmi);
  boot = await bootId(pod);
}, 240_000);

async function killOf(component: Component): Promise<void> {
  const victim = await componentPod(component, component === 'virt-handler' ? pod.spec.nodeName : undefined);
  const { name } = victim.metadata;
  const restarts = victim.status?.containerStatuses?.[0]?.restartCount ?? 0;
  await signalComponent(victim, 'KILL');
  await eventually(`${component} restarted`, 60_000, async () => {
    const now = await get<PodObject>('pod', name, productNamespace);
    return (now?.status?.containerStatuses?.[0]?.restartCount ?? 0) > restarts || undefined;
  });
  await kubectl('-n', productNamespace, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s');
}

test('kill -9 of virt-handler: the guest runs on and its status converges', async () => {
  await killOf('virt-handler');
  await untouched();
}, 180_000);

test('kill -9 of virt-controller: the guest runs on', async () => {
  await killOf('virt-controller');
  await untouched();
}, 180_000);

test('kill -9 of the launcher: restarted in its pod, the domain picked up, an event tells it', async () => {
  await killAll(pod, 'main[.]mjs');
  await eventually(
    'event that the launcher was restarted',
    30_000,
    async () => (await eventsOf(ns, 'steady')).some((event) => event.reason === 'LauncherRestarted') || undefined,
  );
  await untouched();
}, 120_000);

test('kill -9 of the libvirt daemon: restarted in its pod, the domain picked up, an event tells it', async () => {
  await killAll(pod, 'sbin/libvirtd');
  await eventually(
    'event that the libvirt daemon was restarted',
    30_000,
    async () => (await eventsOf(ns, 'steady')).some((event) => event.reason === 'LibvirtRestarted') || undefined,
  );
  await untouched();
}, 120_000);

test('kill -9 of QEMU: the instance is Failed with a reason', async () => {
  await killAll(pod, 'qemu-system-x86_64');
  const failed = await untilPhase(ns, 'steady', 'Failed', 20_000);
  expect(failed.status?.reason).toBeTruthy();
  const stopped = (await eventsOf(ns, 'steady')).find((event) => event.reason === 'Stopped');
  expect(stopped?.type).toBe('Warning');
}, 60_000);

test('kill -9 of QEMU under runStrategy Always: a new instance runs', async () => {
  await apply(tinyVm(ns, 'again', 'Always'));
  const first = await untilAgent(ns, 'again');
  await killAll(await launcherPod(first), 'qemu-system-x86_64');
  await eventually('a new instance is running', 120_000, async () => {
    const now = await getVmi(ns, 'again');
    return now?.metadata?.uid !== first.metadata?.uid && now?.status?.phase === 'Running' ? now : undefined;
  });
  await kubectl('-n', ns, 'delete', 'vm', 'again', '--timeout=60s');
}, 300_000);

test('deleting the launcher pod by hand: Failed with the reason, nothing of it stays', async () => {
  await apply(tinyVmi(ns, 'podless'));
  const running = await untilPhase(ns, 'podless', 'Running');
  const its = await launcherPod(running);
  await kubectl('-n', ns, 'delete', 'pod', its.metadata.name, '--grace-period=0', '--force');
  const failed = await untilPhase(ns, 'podless', 'Failed', 60_000);
  expect(failed.status?.reason).toBeTruthy();
  await kubectl('-n', ns, 'delete', 'vmi', 'podless', '--timeout=60s');
}, 180_000);
