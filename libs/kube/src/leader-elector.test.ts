import fc from 'fast-check';
import { KubeError } from './errors.ts';
import { LeaderElector, type Lease, type LeaseAccess } from './leader-elector.ts';
import { FakeClock, settle } from './testing/fake-clock.ts';

const MICRO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A Lease as the API server keeps it: versions, conflicts, and requests that get lost when told to. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  /** @param reaches whether a request arrives, and whether its answer comes back */
  access(reaches: () => { request: boolean; answer: boolean }): LeaseAccess {
    const call = async <T>(act: () => T): Promise<T> => {
      const { request, answer } = reaches();
      if (!request) throw new Error('connection refused');
      const result = act();
      if (!answer) throw new Error('connection reset');
      return result;
    };
    return {
      get: () =>
        call(() => {
          if (!this.lease) throw new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
          return structuredClone(this.lease);
        }),
      create: (spec) =>
        call(() => {
          if (this.lease) throw new KubeError({ code: 409, reason: 'AlreadyExists' }, 'POST');
          return this.#store({ metadata: {}, spec });
        }),
      update: (lease) =>
        call(() => {
          if (lease.metadata?.resourceVersion !== this.lease?.metadata?.resourceVersion)
            throw new KubeError({ code: 409, reason: 'Conflict' }, 'PUT');
          return this.#store(lease);
        }),
    };
  }

  #store(lease: Lease): Lease {
    expect(lease.spec?.renewTime).toMatch(MICRO);
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    return structuredClone(this.lease);
  }
}

const always = () => ({ request: true, answer: true });

function candidate(server: LeaseServer, clock: FakeClock, identity: string, reaches = always, skewMs = 0) {
  const skewed = {
    now: () => clock.now() + skewMs,
    monotonic: () => clock.monotonic(),
    after: clock.after.bind(clock),
  };
  const elector = new LeaderElector(server.access(reaches), { identity, clock: skewed, random: () => 0 });
  const stop = new AbortController();
  const state = { leading: false, terms: 0, outcome: '' };
  const start = async () => {
    state.outcome = await elector.run(async (signal) => {
      state.leading = true;
      state.terms += 1;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      state.leading = false;
    }, stop.signal);
  };
  return { elector, state, start, stop };
}

test('the first takes the lease at once, the second waits for it to run out', async () => {
  const clock = new FakeClock();
  const server = new LeaseServer();
  let cut = false;
  const first = candidate(server, clock, 'first', () => ({ request: !cut, answer: !cut }));
  const second = candidate(server, clock, 'second');
  void first.start();
  await settle();
  void second.start();
  await clock.advance(60_000);
  expect([first.state.leading, second.state.leading]).toEqual([true, false]);
  cut = true;
  await clock.advance(30_000);
  expect([first.state.leading, second.state.leading]).toEqual([false, true]);
  expect(first.state.outcome).toBe('lost');
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 15 });
});

test('a leader that stops gives the lease back, so that the next one leads within one retry', async () => {
  const clock = new FakeClock();
  const server = new LeaseServer();
  const first = candidate(server, clock, 'first');
  const second = candidate(server, clock, 'second');
  void first.start();
  await settle();
  void second.start();
  await clock.advance(5_000);
  first.stop.abort();
  await settle();
  expect(first.state.outcome).toBe('stopped');
  await clock.advance(2_000);
  expect(second.state.leading).toBe(true);
});

test('a leader renews by one write, and looks again only after a write whose answer it did not get', async () => {
  const clock = new FakeClock();
  const server = new LeaseServer();
  let lost = 0;
  let requests = 0;
  const leader = candidate(server, clock, 'a', () => {
    requests += 1;
    return { request: true, answer: lost-- <= 0 };
  });
  void leader.start();
  await clock.advance(10_000);
  // Found missing and created, then renewed every two seconds.
  expect(requests).toBe(2 + 5);
  lost = 1;
  await clock.advance(4_000);
  // The lost one, then a look and a write.
  expect(requests).toBe(2 + 5 + 1 + 2);
  expect(leader.state.leading).toBe(true);
});

test('a leader restarted under its old name goes on at once', async () => {
  const clock = new FakeClock();
  const server = new LeaseServer();
  server.lease = { metadata: { resourceVersion: '0' }, spec: { holderIdentity: 'pod-0', leaseDurationSeconds: 15 } };
  const again = candidate(server, clock, 'pod-0');
  void again.start();
  await settle();
  expect(again.state.leading).toBe(true);
  expect(server.lease?.spec?.leaseTransitions).toBe(0);
});

test('there are never two leaders, whatever requests get lost and however the wall clocks differ', async () => {
  const lossy = fc.record({ request: fc.boolean(), answer: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(lossy, lossy), { minLength: 5, maxLength: 40 }),
      fc.integer({ min: -3_600_000, max: 3_600_000 }),
      async (weather, skew) => {
        const clock = new FakeClock();
        const server = new LeaseServer();
        let moment = 0;
        const at = (who: 0 | 1) => () => weather[moment]?.[who] ?? always();
        const candidates = [candidate(server, clock, 'a', at(0)), candidate(server, clock, 'b', at(1), skew)] as const;
        for (const one of candidates) void one.start();
        for (; moment < weather.length; moment++) {
          for (let step = 0; step < 6; step++) {
            await clock.advance(1_000);
            expect(candidates.filter(({ state }) => state.leading).length).toBeLessThanOrEqual(1);
          }
        }
        for (const one of candidates) one.stop.abort();
        await settle();
      },
    ),
    { numRuns: 15 },
  );
}, 60_000);
