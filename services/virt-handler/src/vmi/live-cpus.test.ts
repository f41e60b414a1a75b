import { kubevirtConfig, type Pod } from '@yagura/api';
import { type Domain, RpcError, Status } from '@yagura/contracts';
import { InFlight } from '../system/in-flight.ts';
import { hotCpus } from './conditions.ts';
import { LiveCpus } from './live-cpus.ts';
import type { Target } from './target.ts';
import { NOW, testDomain, testVmi } from './testing.ts';

const base = testVmi({ phase: 'Running' });
const vmi = { ...base, spec: { ...base.spec, domain: { ...base.spec.domain, cpu: { sockets: 2 } } } };
const withCpus = (sockets: number) => testDomain({ cpus: { sockets, cores: 1, threads: 1, maxSockets: 4 } });
const large = { requests: { cpu: '1', memory: '1Gi' } };

let now = 0;
let calls = 0;
let failure: RpcError | undefined;
let taken: Domain | undefined;
const live = new LiveCpus(
  () => kubevirtConfig(undefined),
  () => now,
);

function target(granted: object = large): Target {
  const compute = { name: 'compute', resources: large };
  return {
    vmi,
    pod: {
      metadata: { name: 'p', uid: 'p' },
      spec: { containers: [compute] },
      status: { containerStatuses: [{ ...compute, resources: granted }] },
    } as unknown as Pod,
    memory: { calls: new InFlight() } as Target['memory'],
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
  expect(await live.follow(target({ requests: { cpu: '1m', memory: '1Mi' } }), withCpus(1))).toEqual({});
  expect(calls).toBe(0);
  expect(await live.follow(target(), withCpus(1))).toEqual({});
  expect(taken?.cpus?.sockets).toBe(2);
});

test.each<[string, Domain]>([
  ['has them', withCpus(2)],
  ['has more', withCpus(3)],
  ['does not say', testDomain()],
])('a domain that %s is left alone', async (_what, domain) => {
  expect(await live.follow(target(), domain)).toEqual({});
  expect(calls).toBe(0);
});

test('what libvirt has against it is told, and tried again after a while', async () => {
  failure = new RpcError(Status.INTERNAL, 'unsupported configuration');
  const own = target();
  const problem = 'unsupported configuration';
  expect(await live.follow(own, withCpus(1))).toEqual({ problem, afterMs: 10_000 });
  now += 4_000;
  expect(await live.follow(own, withCpus(1))).toEqual({ problem, afterMs: 6_000 });
  now += 7_000;
  failure = undefined;
  expect(await live.follow(own, withCpus(1))).toEqual({});
  expect(calls).toBe(2);
});

test('an older launcher is named as such, and one that is away is no failure', async () => {
  failure = new RpcError(Status.UNIMPLEMENTED, 'unknown method');
  expect((await live.follow(target(), withCpus(1))).problem).toContain('restart the guest');
  failure = new RpcError(Status.UNAVAILABLE, 'away');
  expect(await live.follow(target(), withCpus(1))).toEqual({ problem: undefined, afterMs: 1_000 });
});

test('the condition is False with the error, and goes with the last CPU', () => {
  const before = [{ type: 'HotVCPUChange', status: 'True' as const, reason: 'PodResized' }];
  const told = hotCpus(before, { vmi, domain: withCpus(1), cpuProblem: 'why', now: NOW });
  expect(told).toMatchObject([{ status: 'False', reason: 'HotPlugFailed', message: 'why' }]);
  expect(hotCpus(told, { vmi, domain: withCpus(2), now: NOW })).toEqual([]);
  expect(hotCpus(before, { vmi, domain: withCpus(1), now: NOW })).toBe(before);
});
