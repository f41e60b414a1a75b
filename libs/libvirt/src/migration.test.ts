import { type Connection, type Domain, type DomainEvent } from './index.ts';
import { describeReal } from './testing/describe-real.ts';
import { SessionDaemon } from './testing/session-daemon.ts';
import { domainXML, tinyGuest } from './testing/tiny-guest.ts';
import { until } from './testing/until.ts';

describeReal('live migration between two session daemons over unix sockets', () => {
  let daemons: [SessionDaemon, SessionDaemon];
  let source: Connection;
  let target: Connection;
  let domain: Domain;
  const events: DomainEvent[] = [];

  beforeAll(async () => {
    daemons = [await SessionDaemon.start(), await SessionDaemon.start()];
    source = await daemons[0].open();
    target = await daemons[1].open();
    await source.subscribe(['lifecycle', 'job-completed', 'migration-iteration'], (event) => events.push(event));
    domain = await source.defineXML(domainXML({ name: 'ns_mover', guest: tinyGuest(), memoryMiB: 160 }));
    await domain.create();
    await until('the agent answers', () =>
      domain.agentCommand('{"execute":"guest-ping"}', 1).then(
        () => true,
        () => false,
      ),
    );
  }, 120_000);
  afterAll(async () => {
    await Promise.all([source.close(), target.close()]);
    await Promise.all(daemons.map((daemon) => daemon.stop()));
  }, 60_000);

  const destination = (): string => `qemu+unix:///session?socket=${daemons[1].socket}`;
  const socket = (name: string): string => `unix://${daemons[1].directory}/${name}`;

  test('one that is aborted leaves the guest running where it was', async () => {
    const migration = domain
      .migrateToURI3(destination(), { migrateUri: socket('aborted.sock'), bandwidth: 1n }, ['live', 'peer2peer'])
      .catch((caught: unknown) => caught);
    await until('it is under way', async () => (await domain.getJobStats()).operation === 'migration-out');
    await until('it has moved something', async () => ((await domain.getJobStats()).memoryProcessed ?? 0n) > 0n);
    const job = await domain.getJobStats();
    expect(job).toMatchObject({ type: 'unbounded', operation: 'migration-out' });
    expect(job.memoryTotal).toBeGreaterThan(100_000_000n);
    expect((await domain.getState()).state).toBe('running');
    expect(await domain.migrateGetMaxSpeed()).toBe(1n);
    await domain.migrateSetMaxDowntime(200);
    await domain.abortJob();
    expect(await migration).toMatchObject({ code: 'OPERATION_ABORTED' });
    expect((await domain.getState()).state).toBe('running');
    expect(await target.listAllDomains()).toEqual([]);
  }, 60_000);

  test('one that succeeds moves the guest, and both sides say so', async () => {
    events.length = 0;
    await domain.migrateSetMaxSpeed(4096n);
    await domain.migrateToURI3(destination(), { migrateUri: socket('moved.sock'), bandwidth: 4096n }, [
      'live',
      'peer2peer',
      'persist-dest',
      'undefine-source',
    ]);
    const moved = await target.lookupByName('ns_mover');
    expect(await moved.getState()).toEqual({ state: 'running', reason: 'migrated' });
    expect(moved.uuid).toBe(domain.uuid);
    expect(await moved.isPersistent()).toBe(true);
    await expect(domain.getState()).rejects.toMatchObject({ code: 'NO_DOMAIN' });
    await until('the source says it is over', () =>
      events.some((event) => event.type === 'lifecycle' && event.event === 'stopped' && event.detail === 'migrated'),
    );
    const completed = events.find((event) => event.type === 'job-completed');
    expect(completed).toMatchObject({ domain: { name: 'ns_mover' }, job: { operation: 'migration-out' } });
    expect(completed?.type === 'job-completed' && completed.job.downtime).toBeGreaterThanOrEqual(0n);
    expect(await moved.getJobStats(['completed'])).toMatchObject({ type: 'completed', operation: 'migration-in' });
    await until('the agent answers at the target', () =>
      moved.agentCommand('{"execute":"guest-ping"}', 1).then(
        () => true,
        () => false,
      ),
    );
  }, 120_000);

  test('one to nowhere is refused and changes nothing', async () => {
    const moved = await target.lookupByName('ns_mover');
    await expect(
      moved.migrateToURI3('qemu+unix:///session?socket=/nowhere', { migrateUri: 'unix:///nowhere' }, [
        'peer2peer',
        'live',
      ]),
    ).rejects.toMatchObject({ name: 'LibvirtError', message: expect.stringContaining('/nowhere') });
    expect((await moved.getState()).state).toBe('running');
  });
});
