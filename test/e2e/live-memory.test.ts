import { quantityValue } from '@yagura/api';
import { get, kubectl } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { inGuest } from './support/guest-shell.ts';
import {
  apply,
  bootId,
  condition,
  freshNamespace,
  getVm,
  getVmi,
  launcherPod,
  type PodObject,
  tinySpec,
  tinyVm,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-live-memory';
let pod: PodObject;

// Asks its node for less than it has, so that it finds room anywhere.
const vm = tinyVm(ns, 'grows', 'Always', {
  terminationGracePeriodSeconds: 5,
  domain: {
    ...tinySpec().domain,
    memory: { guest: '1Gi' },
    resources: { requests: { memory: '128Mi' } },
  },
});

const setMemory = async (guest: string) =>
  kubectl(
    ...['patch', 'vm', 'grows', '-n', ns, '--type=merge', '-p'],
    JSON.stringify({ spec: { template: { spec: { domain: { memory: { guest } } } } } }),
  );

const memoryRequest = async () => {
  const now = await get<{
    spec: { containers: { name: string; resources: { requests: Record<string, string> } }[] };
  }>('pod', pod.metadata.name, ns);
  const request = now?.spec.containers.find(({ name }) => name === 'compute')?.resources.requests['memory'];
  return Number(quantityValue(request ?? '0')) / 1024 ** 2;
};

const mebibytesOfGuest = async () =>
  Number(await inGuest(pod, "sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo")) / 1024;

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(vm);
  pod = await launcherPod(await untilAgent(ns, 'grows'));
}, 90_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
});

test('a running guest gets the memory of the template and uses it, and its pod what it needs', async () => {
  const started = await getVmi(ns, 'grows');
  expect(started?.spec.domain.memory).toEqual({ guest: '1Gi', maxGuest: '4Gi' });
  const before = { request: await memoryRequest(), guest: await mebibytesOfGuest(), boot: await bootId(pod) };
  await setMemory('1280Mi');
  const grown = await eventually('the guest has taken its memory', 40_000, async () => {
    const vmi = await getVmi(ns, 'grows');
    const change = condition(vmi, 'HotMemoryChange');
    if (vmi?.status?.memory?.guestCurrent === '1280Mi' && !change) return vmi;
    throw new Error(`${JSON.stringify(vmi?.status?.memory)}, ${JSON.stringify(change)}`);
  });
  expect(grown.status?.memory).toMatchObject({ guestAtBoot: '1Gi', guestRequested: '1280Mi' });
  expect(Number(grown.status?.memory?.memoryOverhead)).toBeGreaterThan(Number(started?.status?.memory?.memoryOverhead));
  expect(await memoryRequest()).toBeGreaterThanOrEqual(before.request + 256);
  await eventually('the guest uses it', 20_000, async () => (await mebibytesOfGuest()) > before.guest + 240);
  expect(await bootId(pod)).toBe(before.boot);
  expect(condition(await getVm(ns, 'grows'), 'RestartRequired')).toBeUndefined();
});

test('more than it was started for, and less than it has, wait for a restart, with the reason', async () => {
  const untilTold = async (words: string) =>
    eventually(`RestartRequired says "${words}"`, 20_000, async () =>
      condition(await getVm(ns, 'grows'), 'RestartRequired')?.message?.includes(words),
    );
  await setMemory('5Gi');
  await untilTold('domain.memory.guest (the guest was started for at most 4Gi)');
  await setMemory('1Gi');
  await untilTold('domain.memory.guest (a running guest gives none back)');
  await setMemory('1280Mi');
  await eventually('nothing waits', 20_000, async () => !condition(await getVm(ns, 'grows'), 'RestartRequired'));
  expect((await getVmi(ns, 'grows'))?.status?.memory?.guestCurrent).toBe('1280Mi');
});
