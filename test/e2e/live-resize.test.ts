import { get, kubectl, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  bootId,
  condition,
  freshNamespace,
  getVm,
  getVmi,
  inLauncher,
  launcherPod,
  type PodObject,
  tinySpec,
  tinyVm,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-live-resize';
const pods: Record<string, PodObject> = {};
const podOf = (name: string) => pods[name] as PodObject;

const vmOf = (name: string, domain: object) =>
  tinyVm(ns, name, 'Always', { terminationGracePeriodSeconds: 5, domain: { ...tinySpec().domain, ...domain } });
const setSockets = async (name: string, sockets: number) =>
  kubectl(
    ...['patch', 'vm', name, '-n', ns, '--type=merge', '-p'],
    JSON.stringify({ spec: { template: { spec: { domain: { cpu: { sockets } } } } } }),
  );

/** The guest has so many sockets, and nothing is left to be done. */
const untilSockets = async (name: string, sockets: number) =>
  eventually(`${name} has ${sockets} sockets`, 30_000, async () => {
    const vmi = await getVmi(ns, name);
    const change = condition(vmi, 'HotVCPUChange');
    if (vmi?.status?.currentCPUTopology?.sockets === sockets && !change) return vmi;
    throw new Error(`${JSON.stringify(vmi?.status?.currentCPUTopology)}, ${JSON.stringify(change)}`);
  });

const untilRestartRequired = async (name: string, required: boolean) =>
  eventually(`RestartRequired of ${name} is ${required}`, 20_000, async () => {
    const vm = await getVm(ns, name);
    const told = vm?.status?.desiredGeneration === vm?.metadata.generation;
    const message = condition(vm, 'RestartRequired')?.message;
    return told && (message !== undefined) === required && (message ?? 'none');
  });

/** CPUs of the machine that runs, as libvirt counts them. */
const cpusOf = async (name: string) =>
  Number(await inLauncher(podOf(name), 'virsh -q vcpucount --live --current $(virsh -q list --name)'));

/**
 * How many new CPUs the guest's kernel has noticed. A Linux of today takes none under TCG: its CPUID names no
 * hypervisor that Linux knows, and on bare metal a CPU that is absent at boot never comes. The launcher's tests have an older one.
 */
const announced = async (name: string) =>
  Number(await inGuest(podOf(name), 'dmesg | grep -cE "has been hot-added|Unable to map lapic" || true'));

const cpuRequest = async (name: string) => {
  const { metadata } = podOf(name);
  const pod = await get<{
    spec: { containers: { name: string; resources: { requests: Record<string, string> } }[] };
  }>('pod', metadata.name, ns);
  return pod?.spec.containers.find((container) => container.name === 'compute')?.resources.requests['cpu'];
};

beforeAll(async () => {
  await freshNamespace(ns);
  await Promise.all([
    apply(vmOf('grows', { cpu: { sockets: 1 } })),
    apply(vmOf('too-big', { cpu: { sockets: 1 }, resources: { requests: { cpu: '100m' } } })),
  ]);
  for (const name of ['grows', 'too-big']) pods[name] = await launcherPod(await untilAgent(ns, name));
}, 120_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
});

test('a running guest gets the sockets of the template, and its pod what they need', async () => {
  expect((await getVmi(ns, 'grows'))?.spec.domain.cpu).toMatchObject({ sockets: 1, maxSockets: 4 });
  expect(await cpusOf('grows')).toBe(1);
  const boot = await bootId(podOf('grows'));
  await setSockets('grows', 2);
  await untilSockets('grows', 2);
  expect(await cpusOf('grows')).toBe(2);
  await eventually('the guest is told', 20_000, async () => (await announced('grows')) === 1);
  expect(await cpuRequest('grows')).toBe('200m');
  expect(await bootId(podOf('grows'))).toBe(boot);
  expect(condition(await getVm(ns, 'grows'), 'RestartRequired')).toBeUndefined();
});

test('so does one that is paused', async () => {
  expect((await yagura('pause', `${ns}/grows`)).code).toBe(0);
  await setSockets('grows', 3);
  await untilSockets('grows', 3);
  expect(await cpusOf('grows')).toBe(3);
  expect((await yagura('unpause', `${ns}/grows`)).code).toBe(0);
  expect(await bootId(podOf('grows'))).toMatch(/-/);
});

test('more than it was started for, and fewer than it has, wait for a restart', async () => {
  await setSockets('grows', 5);
  expect(await untilRestartRequired('grows', true)).toContain('domain.cpu.sockets');
  await setSockets('grows', 2);
  expect(await untilRestartRequired('grows', true)).toContain('domain.cpu.sockets');
  await setSockets('grows', 3);
  await untilRestartRequired('grows', false);
  expect((await getVmi(ns, 'grows'))?.status?.currentCPUTopology?.sockets).toBe(3);
});

test('what the node does not have is told in the kubelet’s words, until it is taken back', async () => {
  await setSockets('too-big', 4);
  const change = await eventually('the kubelet refuses', 30_000, async () => {
    const told = condition(await getVmi(ns, 'too-big'), 'HotVCPUChange');
    return told?.reason === 'PodResizeInfeasible' && told;
  });
  expect(change).toMatchObject({ status: 'False', message: expect.stringContaining('capacity') });
  expect(condition(await getVm(ns, 'too-big'), 'HotVCPUChange')).toMatchObject({ reason: 'PodResizeInfeasible' });
  expect(await cpusOf('too-big')).toBe(1);
  await setSockets('too-big', 1);
  await untilSockets('too-big', 1);
  await eventually('the pod asks for no more', 20_000, async () => (await cpuRequest('too-big')) === '100m');
  await untilRestartRequired('too-big', false);
});
