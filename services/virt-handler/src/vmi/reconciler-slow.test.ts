import { RpcError, Status } from '@yagura/contracts';
import { silentLogger } from '@yagura/kube';
import { MINUTE, reconcilerOf, settle, World } from './testing-world.ts';

/** A world in which the launcher hangs in its start until `end` is called. */
function slowWorld() {
  const world = new World();
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  world.starting = gate.promise;
  let past = 0;
  const begun = Date.now();
  world.now = () => begun + past;
  const pass = (ms: number) => {
    past += ms;
  };
  return { world, gate, pass, reconciler: reconcilerOf(world) };
}
const syncs = (world: World) => world.steps.filter((step) => step === 'sync').length;

test('a start that takes long is neither a failure nor asked for twice', async () => {
  const { world, gate, pass, reconciler } = slowWorld();
  for (const seconds of [0, 20, 30]) {
    pass(seconds * 1000);
    expect(await settle(reconciler)).toEqual({ requeueAfterMs: 1_000 });
  }
  expect({ syncs: syncs(world), writes: world.writes, events: world.events }).toEqual({
    syncs: 1,
    writes: 0,
    events: [],
  });
  gate.resolve();
  await new Promise(setImmediate);
  await settle(reconciler);
  expect(world.vmi.status?.phase).toBe('Running');
  expect(world.events.map((event) => event.split(':')[0])).toEqual(['Created', 'Started']);
});

test('after a minute a start that hangs is told once, and untold when it succeeds', async () => {
  const { world, gate, pass, reconciler } = slowWorld();
  await settle(reconciler);
  pass(MINUTE);
  for (let look = 0; look < 3; look++) await settle(reconciler);
  expect(world.events).toEqual(['SyncFailed: the launcher has been starting the domain for more than a minute']);
  expect(world.vmi.status?.conditions).toMatchObject([{ type: 'Synchronized', status: 'False' }]);
  gate.resolve();
  await new Promise(setImmediate);
  await settle(reconciler);
  expect(world.vmi.status?.conditions?.map(({ type }) => type)).not.toContain('Synchronized');
});

test('an instance that is deleted during its start is let go only when the start has ended', async () => {
  const { world, gate, reconciler } = slowWorld();
  await settle(reconciler);
  world.vmi = { ...world.vmi, metadata: { ...world.vmi.metadata, deletionTimestamp: new Date().toISOString() } };
  expect(await settle(reconciler)).toEqual({ requeueAfterMs: 500 });
  expect(world.steps).not.toContain('delete');
  gate.resolve();
  await new Promise(setImmediate);
  await settle(reconciler);
  expect(world.steps.at(-1)).toBe('shutdown');
});

test.each([Status.DEADLINE_EXCEEDED, Status.UNAVAILABLE])(
  'a start that ends with code %i is tried again, and told after a minute',
  async (code) => {
    const { world, gate, pass, reconciler } = slowWorld();
    const look = async () =>
      reconciler.reconcile(
        { namespace: 'default', name: 'demo' },
        { log: silentLogger, signal: new AbortController().signal, failures: 0 },
      );
    gate.reject(new RpcError(code, 'no answer'));
    expect(await look()).toEqual({ requeueAfterMs: 200 });
    expect(world.events).toEqual([]);
    pass(MINUTE);
    await expect(look()).rejects.toThrow('no answer');
    expect(world.events).toEqual(['SyncFailed: no answer']);
    expect(syncs(world)).toBe(2);
  },
);

test('launchers that hang leave the workers to the others', async () => {
  const hung = Array.from({ length: 10 }, () => slowWorld());
  const began = Date.now();
  for (const { reconciler } of hung) await settle(reconciler);
  const fine = new World();
  for (const { reconciler } of hung) await settle(reconciler);
  await settle(reconcilerOf(fine));
  // One patience each, the first time; then none.
  expect(Date.now() - began).toBeLessThan(5_000);
  expect(fine.vmi.status?.phase).toBe('Running');
});

test('a restart of the launcher is told once, also by a virt-handler that was away', async () => {
  const world = new World();
  const reconciler = reconcilerOf(world);
  await settle(reconciler);
  world.events.length = 0;
  const running = Date.parse(world.vmi.status?.phaseTransitionTimestamps?.at(-1)?.phaseTransitionTimestamp ?? '');
  world.startedAt = new Date(running + 1_500);
  await settle(reconciler);
  await settle(reconciler);
  const told = world.events.splice(0);
  expect(told).toEqual([expect.stringContaining(`was restarted inside its pod at ${world.startedAt.toISOString()}`)]);
  await settle(reconcilerOf(world));
  expect(world.events).toEqual(told);
});

test('a launcher that has not said since when it runs is looked at again', async () => {
  const world = new World();
  world.startedAt = undefined;
  expect(await settle(reconcilerOf(world))).toEqual({ requeueAfterMs: 1_000 });
});
