import { Connection, isConnectionLost, LibvirtTimeoutError } from './index.ts';
import { describeReal } from './testing/describe-real.ts';
import { SessionDaemon } from './testing/session-daemon.ts';
import { domainXML } from './testing/tiny-guest.ts';
import { until } from './testing/until.ts';

describeReal('a daemon that dies or hangs under its connections', () => {
  let daemon: SessionDaemon;
  beforeAll(async () => {
    daemon = await SessionDaemon.start();
  }, 60_000);
  afterAll(() => daemon.stop());

  test('killed: the connection is closed with eof, calls say so, and a new one finds the domain running', async () => {
    const connection = await daemon.open();
    const reasons: string[] = [];
    connection.onClose((reason) => reasons.push(reason));
    const subscription = await connection.subscribe(['lifecycle'], () => undefined);
    const domain = await connection.defineXML(domainXML({ name: 'ns_survivor' }));
    await domain.create();
    const qemu = daemon.qemuPid('ns_survivor');

    const died = daemon.pid;
    daemon.kill('SIGKILL');
    await until('the close event', () => reasons.length > 0);
    expect(reasons).toEqual(['eof']);
    expect(connection.closed).toBe('eof');
    const error: unknown = await domain.getState().catch((caught: unknown) => caught);
    expect(isConnectionLost(error)).toBe(true);
    expect(await connection.isAlive()).toBe(false);
    await subscription.close();
    await connection.close();
    expect(reasons).toEqual(['eof']);

    // Nobody starts a daemon behind the supervisor's back.
    await until('it is reaped', () => daemon.hasExited(died));
    const refused: unknown = await daemon.open().catch((caught: unknown) => caught);
    expect(isConnectionLost(refused)).toBe(true);

    await daemon.startProcess();
    const again = await daemon.open();
    const found = await again.lookupByName('ns_survivor');
    expect(await found.getState()).toEqual({ state: 'running', reason: 'booted' });
    expect(daemon.qemuPid('ns_survivor')).toBe(qemu);
    const events: string[] = [];
    await again.subscribe(['lifecycle'], (event) => events.push(event.event));
    await found.suspend();
    await until('events come again', () => events.includes('suspended'));
    await again.close();
  }, 60_000);

  test('killed amid a call: the call is rejected as lost', async () => {
    const connection = await daemon.open();
    const domain = await connection.lookupByName('ns_survivor');
    daemon.kill('SIGSTOP');
    const pending = Promise.all([domain.getState(), connection.getAllDomainStats()]).catch((caught: unknown) => caught);
    const died = daemon.pid;
    daemon.kill('SIGKILL');
    expect(isConnectionLost(await pending)).toBe(true);
    await until('it is reaped', () => daemon.hasExited(died));
    await connection.close();
    await daemon.startProcess();
  }, 60_000);

  test('hung: calls are rejected in time, others go on, keepalive closes the connection', async () => {
    const connection = await daemon.open({ keepAlive: { intervalSeconds: 1, count: 4 }, callTimeoutMs: 2000 });
    const other = await Connection.open('test:///default');
    const domain = await connection.lookupByName('ns_survivor');
    const reasons: string[] = [];
    connection.onClose((reason) => reasons.push(reason));
    daemon.kill('SIGSTOP');
    try {
      let rejected = false;
      const stuck = expect(domain.getState()).rejects.toThrow(new LibvirtTimeoutError('Domain.getState', 2000, true));
      const queued = expect(domain.getInfo()).rejects.toBeInstanceOf(LibvirtTimeoutError);
      void stuck.then(() => {
        rejected = true;
      });
      const elsewhere = await other.lookupByName('test');
      for (let i = 0; i < 50; i++) await elsewhere.getState();
      expect(rejected).toBe(false);
      await Promise.all([stuck, queued]);
      await until('keepalive gives up', () => reasons.length > 0);
      expect(reasons).toEqual(['keepalive']);
      const error: unknown = await domain.getState().catch((caught: unknown) => caught);
      expect(isConnectionLost(error)).toBe(true);
      const closing = performance.now();
      await connection.close();
      expect(performance.now() - closing).toBeLessThan(5000);
    } finally {
      daemon.kill('SIGCONT');
    }
    const again = await daemon.open();
    expect((await (await again.lookupByName('ns_survivor')).getState()).state).toBe('paused');
    await again.close();
    await other.close();
  }, 60_000);

  test('hung while it is closed: close comes back, and the daemon sees the end when it wakes', async () => {
    const connection = await daemon.open({ keepAlive: { intervalSeconds: 0, count: 0 } });
    await connection.subscribe(['lifecycle'], () => undefined);
    daemon.kill('SIGSTOP');
    try {
      const started = performance.now();
      await connection.close();
      expect(performance.now() - started).toBeLessThan(5000);
    } finally {
      daemon.kill('SIGCONT');
    }
    const again = await daemon.open();
    expect(await again.isAlive()).toBe(true);
    await again.close();
  }, 60_000);
});
