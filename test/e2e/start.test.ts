import type { VirtualMachineInstance } from '@yagura/api';
import { kubectl, nodeExec, tryKubectl, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  condition,
  eventsOf,
  freshNamespace,
  getVm,
  launcherPod,
  type PodObject,
  tinyVm,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-start';
let vmi: VirtualMachineInstance;
let pod: PodObject;

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(tinyVm(ns, 'demo', 'Always'));
  vmi = await untilAgent(ns, 'demo');
  pod = await launcherPod(vmi);
}, 240_000);

test('kubectl get vm and vmi show what an operator looks for', async () => {
  const vm = await kubectl('-n', ns, 'get', 'vm', 'demo');
  expect(vm.split('\n')[0]).toMatch(/^NAME +AGE +STATUS +READY/);
  expect(vm.split('\n')[1]).toMatch(/^demo +\S+ +Running +True/);
  const instance = await kubectl('-n', ns, 'get', 'vmi', 'demo');
  expect(instance.split('\n')[0]).toMatch(/^NAME +AGE +PHASE +IP +NODENAME +READY/);
  expect(instance.split('\n')[1]).toContain(`Running   ${pod.status?.podIP}`);
});

test('the instance says where it runs, with which address and which guest', () => {
  expect(vmi.status?.nodeName).toBe(pod.spec.nodeName);
  expect(vmi.status?.activePods).toEqual({ [pod.metadata.uid]: pod.spec.nodeName });
  expect(vmi.status?.interfaces?.[0]).toMatchObject({ name: 'default', ipAddress: pod.status?.podIP });
  expect(vmi.status?.guestOSInfo?.prettyName).toContain('Yagura');
  expect(condition(vmi, 'Ready')?.status).toBe('True');
});

test('the machine is ready and running', async () => {
  const vm = await getVm(ns, 'demo');
  expect(vm?.status?.printableStatus).toBe('Running');
  expect(vm?.status?.ready).toBe(true);
  expect(vm?.status?.created).toBe(true);
});

test('the guest answers a ping from its node at the pod address', async () => {
  await eventually('an answer to a ping', 20_000, async () => {
    const ping = ['busybox', 'ping', '-c', '1', '-W', '1', pod.status?.podIP ?? ''];
    return (await nodeExec(pod.spec.nodeName ?? '', ...ping)) !== '';
  });
});

test('guestosinfo, userlist and filesystemlist come through the API server', async () => {
  const base = `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/virtualmachineinstances/demo`;
  const info = JSON.parse(await kubectl('get', '--raw', `${base}/guestosinfo`)) as Record<string, unknown>;
  expect(info['guestAgentVersion']).toMatch(/^\d+\.\d+/);
  expect(info['os']).toMatchObject({ id: expect.stringMatching(/./) });
  // An agent is asked for one thing after the other; until it has told, there is no list.
  for (const list of ['userlist', 'filesystemlist']) {
    const { items } = await eventually(`a ${list}`, 20_000, async () => {
      return JSON.parse(await kubectl('get', '--raw', `${base}/${list}`)) as { items: unknown[] };
    });
    expect(Array.isArray(items)).toBe(true);
  }
});

test('layers prints a row with source and age for object, domain, guest and network', async () => {
  const { code, stdout } = await yagura('layers', `${ns}/demo`);
  expect(code).toBe(0);
  for (const layer of ['kubernetes', 'domain', 'guest', 'network'])
    expect(stdout).toMatch(new RegExp(`^ *${layer}`, 'm'));
  expect(stdout).toMatch(/SOURCE/);
  expect(stdout).toMatch(/AGE/);
});

test('pause stops the machine, readiness follows, and unpause brings it back', async () => {
  expect((await yagura('pause', `${ns}/demo`)).code).toBe(0);
  await kubectl('-n', ns, 'wait', 'vmi/demo', '--for=condition=Paused', '--timeout=20s');
  await kubectl('-n', ns, 'wait', 'vmi/demo', '--for=condition=Ready=False', '--timeout=20s');
  const again = await yagura('pause', `${ns}/demo`);
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain('already paused');
  expect((await yagura('unpause', `${ns}/demo`)).code).toBe(0);
  await kubectl('-n', ns, 'wait', 'vmi/demo', '--for=condition=Ready', '--timeout=20s');
});

test('the start left few events, each with its reason', async () => {
  const reasons = (await eventsOf(ns, 'demo')).map((event) => event.reason);
  expect(reasons).toEqual(expect.arrayContaining(['SuccessfulCreate', 'Created', 'Started']));
});

test('guest information is refused to a user without rights', async () => {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${ns}/virtualmachineinstances/demo/guestosinfo`;
  const refused = await tryKubectl(undefined, 'get', '--raw', path, '--as=nobody');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/[Ff]orbidden/);
});

test('deleting the machine shuts the guest down within its grace and leaves nothing on the node', async () => {
  const started = Date.now();
  await kubectl('-n', ns, 'delete', 'vm', 'demo', '--timeout=60s');
  expect(Date.now() - started).toBeLessThan(30_000);
  const events = await eventsOf(ns, 'demo');
  expect(events.find((event) => event.reason === 'Stopped')?.message).toContain('shut down');
  const node = pod.spec.nodeName ?? '';
  await kubectl('-n', ns, 'wait', `pod/${pod.metadata.name}`, '--for=delete', '--timeout=60s');
  const { uid } = pod.metadata;
  // The kubelet tidies up after itself within seconds of the pod's end.
  const look = [
    `grep -c ${uid} /proc/1/mountinfo`,
    `ls -d /var/lib/kubelet/pods/${uid} /var/run/kubevirt/vmi/${vmi.metadata?.uid}.sock 2>/dev/null`,
    // Written so that the looking shell does not find itself.
    `pgrep -fc 'qemu-system.*[${vmi.metadata?.uid?.[0]}]${vmi.metadata?.uid?.slice(1)}'`,
    'true',
  ].join('; ');
  await eventually('nothing of the machine is left on its node', 30_000, async () => {
    const left = (await nodeExec(node, 'sh', '-c', look)).trim().split('\n');
    if (left.join() === '0,0') return true;
    throw new Error(`left: ${left.join(', ')}`);
  });
}, 120_000);
