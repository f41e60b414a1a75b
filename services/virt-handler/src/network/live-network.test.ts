import type { Pod, VirtualMachineInstance } from '@yagura/api';
import { kubevirtConfig } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import { InFlight } from '../system/in-flight.ts';
import type { Target } from '../vmi/target.ts';
import { testDomain, testVmi } from '../vmi/testing.ts';
import { LiveNetwork } from './live-network.ts';
import { pendingInterfaces, unpluggedInterfaces } from './pending.ts';

type Nics = NonNullable<VirtualMachineInstance['spec']['domain']['devices']['interfaces']>;

function vmi(interfaces: Nics, sources: Record<string, string> = {}): VirtualMachineInstance {
  const base = testVmi({
    phase: 'Running',
    interfaces: Object.entries(sources).map(([name, infoSource]) => ({ name, infoSource })),
  });
  return { ...base, spec: { ...base.spec, domain: { ...base.spec.domain, devices: { interfaces } } } };
}
const nic = (name: string, linkState = 'up') => ({
  name,
  linkState,
  macAddress: '',
  model: '',
  queues: 1,
  targetDevice: '',
});
const domain = (...interfaces: ReturnType<typeof nic>[]) =>
  testDomain({ interfaces: interfaces as Domain['interfaces'] });

test.each<
  [what: string, interfaces: Nics, sources: Record<string, string>, live: ReturnType<typeof nic>[], expected: string[]]
>([
  ['all is there', [{ name: 'a' }], { a: 'domain' }, [nic('a')], []],
  ['a network that the pod lacks is waited for', [{ name: 'a' }, { name: 'b' }], { a: 'domain' }, [nic('a')], []],
  ['a network that the pod has', [{ name: 'b' }], { b: 'multus-status' }, [], ['plug b']],
  ['an absent one that is there', [{ name: 'b', state: 'absent' }], {}, [nic('b')], ['unplug b']],
  ['an absent one that is gone', [{ name: 'b', state: 'absent' }], { b: 'multus-status' }, [], []],
  ['a link that is to be down', [{ name: 'a', state: 'down' }], {}, [nic('a')], ['link a down']],
  ['a link that is to be up', [{ name: 'a' }], {}, [nic('a', 'down')], ['link a up']],
])('what a running guest lacks: %s', (_, interfaces, sources, live, expected) => {
  expect(pendingInterfaces(vmi(interfaces, sources), { interfaces: live as Domain['interfaces'] })).toEqual(expected);
});

test('an interface that has left the guest is taken from the pod before the status says so', () => {
  const absent: Nics = [{ name: 'b', state: 'absent' }];
  expect(unpluggedInterfaces(vmi(absent, { b: 'domain, multus-status' }), domain())).toEqual(['b']);
  expect(unpluggedInterfaces(vmi(absent, { b: 'multus-status' }), domain())).toEqual([]);
  expect(unpluggedInterfaces(vmi(absent, { b: 'domain' }), domain(nic('b')))).toEqual([]);
});

describe('following a spec', () => {
  let now = 0;
  let removal: string | undefined;
  let problems: { interface: string; message: string }[] = [];
  let calls: string[] = [];
  const live = new LiveNetwork({
    preparation: {
      network: async () => [],
      removeNetwork: async () => {
        if (removal) throw new Error(removal);
        calls.push('remove');
      },
    },
    events: {
      interfacesChanged: (_, changes) => void calls.push(`event ${changes}`),
      syncFailed: (_, message) => void calls.push(`failed ${message}`),
    },
    config: () => kubevirtConfig(undefined),
    now: () => now,
  });
  const link = {
    take: () => {},
    calls: { syncInterfaces: async () => (calls.push('sync'), { domain: domain(), problems }) },
  } as never;
  const memory = { calls: new InFlight() } as Target['memory'];
  const target = (of: VirtualMachineInstance): Target =>
    ({
      vmi: of,
      pod: { metadata: { uid: 'p' } } as Pod,
      memory,
      context: { signal: new AbortController().signal },
    }) as Target;

  beforeEach(() => {
    calls = [];
    problems = [];
    now += 60_000;
  });

  test('a network that cannot be taken from the pod is told once, and does not hold up the rest', async () => {
    const left = target(vmi([{ name: 'b', state: 'absent' }], { b: 'domain, multus-status' }));
    removal = 'the link is busy';
    await expect(live.follow(left, link, domain())).resolves.toMatchObject({ problem: removal });
    await live.follow(left, link, domain());
    removal = undefined;
    await expect(live.follow(left, link, domain())).resolves.toEqual({});
    expect(calls).toEqual(['failed the link is busy', 'remove']);
  });

  test('costs nothing where all is as it should be', async () => {
    expect(await live.follow(target(vmi([{ name: 'a' }])), link, domain(nic('a')))).toEqual({});
    expect(calls).toEqual([]);
  });

  test('tells what stands in the way once, and tries again after a while', async () => {
    problems = [{ interface: 'a', message: 'the guest has not let go' }];
    const down = target(vmi([{ name: 'a', state: 'down' }]));
    const problem = 'interface a: the guest has not let go';
    expect(await live.follow(down, link, domain(nic('a')))).toEqual({ problem, afterMs: 10_000 });
    now += 4_000;
    expect(await live.follow(down, link, domain(nic('a')))).toEqual({ problem, afterMs: 6_000 });
    now += 7_000;
    problems = [];
    expect(await live.follow(down, link, domain(nic('a')))).toMatchObject({ problem: undefined });
    expect(calls).toEqual(['sync', `failed ${problem}`, 'sync', 'event link a down']);
    expect(await live.follow(down, link, domain(nic('a', 'down')))).toEqual({});
  });

  test('does another change at once', async () => {
    await live.follow(target(vmi([{ name: 'a', state: 'down' }])), link, domain(nic('a')));
    await live.follow(target(vmi([{ name: 'a' }])), link, domain(nic('a', 'down')));
    expect(calls).toEqual(['sync', 'event link a down', 'sync', 'event link a up']);
  });

  test('cleans up behind what was unplugged', async () => {
    const absent = vmi([{ name: 'b', state: 'absent' }], { b: 'domain, multus-status' });
    expect(await live.follow(target(absent), link, domain())).toEqual({});
    expect(calls).toEqual(['remove']);
  });
});
