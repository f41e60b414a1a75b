import { kubevirtConfig, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { type Domain, RpcError, Status } from '@yagura/contracts';
import { InFlight } from '../system/in-flight.ts';
import { hotChanges } from './conditions.ts';
import { LiveSize } from './live-size.ts';
import type { Target } from './target.ts';
import { NOW, testDomain, testVmi } from './testing.ts';

const base = testVmi({ phase: 'Running' });
const vmi = { ...base, spec: { ...base.spec, domain: { ...base.spec.domain, cpu: { sockets: 2 } } } };
const GIB = 1024n ** 3n;
const withCpus = (sockets: number) => testDomain({ cpus: { sockets, cores: 1, threads: 1, maxSockets: 4 } });
const withMemory = (requested: bigint, current = requested) =>
  testDomain({
    memory: { bootBytes: GIB, maxBytes: 4n * GIB, requestedBytes: requested * GIB, currentBytes: current * GIB },
  });
const large = { requests: { cpu: '1', memory: '1Gi' } };

let now = 0;
let calls = 0;
let failure: RpcError | undefined;
let taken: Domain | undefined;
const live = new LiveSize(
  () => kubevirtConfig(undefined),
  () => now,
);

function target(granted: object = large, of: VirtualMachineInstance = vmi): Target {
  const compute = { name: 'compute', resources: large };
  return {
    vmi: of,
    pod: {
      metadata: { name: 'p', uid: 'p' },
      spec: { containers: [compute] },
      status: { containerStatuses: [{ ...compute, resources: granted }] },
    } as unknown as Pod,
    memory: { calls: new InFlight(), attempts: new Map() } as unknown as Target['memory'],
    link: {
      take: (domain: Domain) => {
        taken = domain;
      },
      calls: {
        syncVirtualMachineCpus: async () => {
          calls += 1;
          if (failure) throw failure;
          return { domain: withCpus(2) };
        },
        syncVirtualMachineMemory: async () => {
          calls += 1;
          return { domain: withMemory(2n) };
        },
      },
    },
    context: { signal: new AbortController().signal },
  } as unknown as Target;
}

beforeEach(() => {
  now += 60_000;
  calls = 0;
  failure = undefined;
  taken = undefined;
});

test('a guest is given CPUs once its pod may use them, and not before', async () => {
  expect((await live.follow(target({ requests: { cpu: '1m', memory: '1Mi' } }), withCpus(1))).cpus).toEqual({});
  expect(calls).toBe(0);
  expect((await live.follow(target(), withCpus(1))).cpus).toEqual({});
  expect(taken?.cpus?.sockets).toBe(2);
});

test.each<[string, Domain]>([
  ['has them', withCpus(2)],
  ['has more', withCpus(3)],
  ['does not say', testDomain()],
])('a domain that %s is left alone', async (_what, domain) => {
  expect((await live.follow(target(), domain)).cpus).toEqual({});
  expect(calls).toBe(0);
});

test('what libvirt has against it is told, and tried again after a while', async () => {
  failure = new RpcError(Status.INTERNAL, 'unsupported configuration');
  const own = target();
  const problem = 'unsupported configuration';
  expect((await live.follow(own, withCpus(1))).cpus).toEqual({ problem, afterMs: 10_000 });
  now += 4_000;
  expect((await live.follow(own, withCpus(1))).cpus).toEqual({ problem, afterMs: 6_000 });
  now += 7_000;
  failure = undefined;
  expect((await live.follow(own, withCpus(1))).cpus).toEqual({});
  expect(calls).toBe(2);
});

test('an older launcher is named as such, and one that is away is no failure', async () => {
  failure = new RpcError(Status.UNIMPLEMENTED, 'unknown method');
  expect((await live.follow(target(), withCpus(1))).cpus.problem).toContain('restart the guest');
  failure = new RpcError(Status.UNAVAILABLE, 'away');
  expect((await live.follow(target(), withCpus(1))).cpus).toEqual({ problem: undefined, afterMs: 1_000 });
});

test('memory is offered once the pod may use it', async () => {
  const grown = { ...vmi, spec: { ...base.spec, domain: { ...base.spec.domain, memory: { guest: '2Gi' } } } };
  const huge = { requests: { cpu: '1', memory: '3Gi' } };
  const of = (granted: object) => {
    const { pod, ...rest } = target(granted, grown);
    pod.spec.containers[0] = { name: 'compute', resources: huge };
    return { ...rest, pod };
  };
  await live.follow(of(large), withMemory(1n));
  expect(calls).toBe(0);
  expect(await live.follow(of(huge), withMemory(1n))).toEqual({ cpus: {}, memory: {} });
  expect(taken?.memory?.requestedBytes).toBe(2n * GIB);
  for (const domain of [withMemory(2n, 1n), withMemory(3n), testDomain()]) await live.follow(of(huge), domain);
  expect(calls).toBe(1);
});

test('the condition is False with the error, and goes with the last CPU', () => {
  const before = [{ type: 'HotVCPUChange', status: 'True' as const, reason: 'PodResized' }];
  const told = hotChanges(before, { vmi, domain: withCpus(1), cpuProblem: 'why', now: NOW });
  expect(told).toMatchObject([{ status: 'False', reason: 'HotPlugFailed', message: 'why' }]);
  expect(hotChanges(told, { vmi, domain: withCpus(2), now: NOW })).toEqual([]);
  expect(hotChanges(before, { vmi, domain: withCpus(1), now: NOW })).toBe(before);
});

test('memory is waited for until the guest has taken it', () => {
  const grown = { ...vmi, spec: { ...base.spec, domain: { ...base.spec.domain, memory: { guest: '2Gi' } } } };
  const before = [{ type: 'HotMemoryChange', status: 'True' as const, reason: 'PodResized' }];
  const at = (domain: Domain, memoryProblem?: string) =>
    hotChanges(before, { vmi: grown, domain, memoryProblem, now: NOW });
  expect(at(withMemory(1n))).toBe(before);
  expect(at(withMemory(1n), 'why')).toMatchObject([{ status: 'False', reason: 'HotPlugFailed', message: 'why' }]);
  expect(at(withMemory(2n, 1n))).toMatchObject([{ status: 'True', reason: 'WaitingForGuest' }]);
  expect(at(withMemory(2n))).toEqual([]);
  expect(at(testDomain())).toBe(before);
});
