import { Connection, type Domain, HandleClosedError } from './index.ts';
import { native } from './native.ts';
import { until } from './testing/until.ts';

const wrong = (value: unknown): never => value as never;

describe('handles', () => {
  let connection: Connection;
  let domain: Domain;
  beforeEach(async () => {
    connection = await Connection.open('test:///default');
    domain = await connection.lookupByName('test');
  });
  afterEach(() => connection.close());

  test('closing twice is closing once', async () => {
    domain.close();
    domain.close();
    expect(connection.close()).toBe(connection.close());
    await connection.close();
    expect([connection.open, domain.open]).toEqual([false, false]);
  });

  test('use after close is a HandleClosedError that names the call', async () => {
    domain.close();
    await expect(domain.getState()).rejects.toThrow(
      new HandleClosedError('Domain.getState: the handle of domain "test" is closed'),
    );
    await expect(domain.getState()).rejects.toBeInstanceOf(TypeError);
    const other = await connection.lookupByName('test');
    await connection.close();
    await expect(other.suspend()).rejects.toThrow(
      new HandleClosedError('Domain.suspend: the connection of domain "test" is closed'),
    );
    await expect(connection.getHostname()).rejects.toThrow(
      new HandleClosedError('Connection.getHostname: the connection is closed'),
    );
    await expect(connection.subscribe(['lifecycle'], () => undefined)).rejects.toBeInstanceOf(HandleClosedError);
  });

  test('closing a connection closes what hangs on it, on the native side too', async () => {
    const before = native().counts();
    const other = await Connection.open('test:///default');
    await other.subscribe(['lifecycle'], () => undefined);
    await other.listAllDomains();
    await other.close();
    expect(native().counts().calls).toBe(0);
    expect(before.connections).toBeGreaterThan(0);
  });

  test('close tells its listeners once, with the reason client', async () => {
    const reasons: string[] = [];
    connection.onClose((reason) => reasons.push(reason));
    const dropped = connection.onClose((reason) => reasons.push(`dropped ${reason}`));
    await dropped.close();
    await connection.close();
    connection.onClose((reason) => reasons.push(`late ${reason}`));
    await until('the late listener', () => reasons.length === 2);
    expect(reasons).toEqual(['client', 'late client']);
    expect(connection.closed).toBe('client');
  });

  test('`await using` closes', async () => {
    let kept: Connection;
    {
      await using scoped = await Connection.open('test:///default');
      kept = scoped;
      expect(kept.open).toBe(true);
    }
    expect(kept.open).toBe(false);
  });
});

describe('arguments of a wrong type are TypeErrors that say which and what was expected', () => {
  let connection: Connection;
  let domain: Domain;
  beforeAll(async () => {
    connection = await Connection.open('test:///default');
    domain = await connection.lookupByName('test');
  });
  afterAll(() => connection.close());

  test.each<[string, () => Promise<unknown>, string]>([
    ['uri', () => Connection.open(wrong(7)), 'Connection.open: uri must be a string, got number 7'],
    [
      'keepalive',
      () => Connection.open('test:///default', { keepAlive: { intervalSeconds: -1, count: 3 } }),
      'Connection.open: keepAlive.intervalSeconds must be an integer from 0 to 3600, got number -1',
    ],
    ['name', () => connection.lookupByName(wrong(null)), 'Connection.lookupByName: name must be a string, got null'],
    ['NUL', () => connection.lookupByName('te\0st'), 'Connection.lookupByName: name must not contain a NUL character'],
    ['xml', () => connection.defineXML(wrong({})), 'Connection.defineXML: xml must be a string, got object'],
    [
      'flag',
      () => domain.create([wrong('hard')]),
      'Domain.create: flags: unknown name "hard"; known are paused, autodestroy, bypass-cache, force-boot, validate, reset-nvram',
    ],
    [
      'flags',
      () => domain.destroy(wrong('graceful')),
      'Domain.destroy: flags: expected an array of names, got "graceful"',
    ],
    [
      'stats group',
      () => connection.getAllDomainStats([wrong('toString')]),
      'Connection.getAllDomainStats: groups: unknown name "toString"; known are state, cpu, balloon, vcpu, interface, block, perf, iothread, memory, dirtyrate, vm',
    ],
    [
      'event type',
      () => connection.subscribe([wrong('weather')], () => undefined),
      'Connection.subscribe: eventTypes: unknown name "weather"',
    ],
    ['listener', () => connection.subscribe(['reboot'], wrong(1)), 'Connection.subscribe: listener must be a function'],
    [
      'agent timeout',
      () => domain.agentCommand('{}', 0.5),
      'Domain.agentCommand: timeout must be an integer from 1 to 2147483647, got number 0.5',
    ],
    [
      'dirty rate',
      () => domain.startDirtyRateCalc(0),
      'Domain.startDirtyRateCalc: seconds must be an integer from 1 to 60, got number 0',
    ],
    [
      'speed',
      () => domain.migrateSetMaxSpeed(wrong(8)),
      'Domain.migrateSetMaxSpeed: mebibytesPerSecond must be a bigint from 0 to 2^64-1, got number 8',
    ],
    [
      'migration parameter',
      () => domain.migrateToURI3(null, { bandwidth: wrong('fast') }, []),
      'Domain.migrateToURI3: bandwidth must be a bigint',
    ],
    [
      'unknown migration parameter',
      () => domain.migrateToURI3(null, wrong({ speed: 1n }), []),
      'Domain.migrateToURI3: unknown parameter "speed"',
    ],
    [
      'time',
      () => domain.setTime({ seconds: wrong(5), nanoseconds: 0 }),
      'Domain.setTime: time.seconds must be a bigint',
    ],
    ['mount points', () => domain.fsFreeze([wrong(1)]), 'Domain.fsFreeze: argument 1 must be an array of strings'],
    [
      'timeout',
      () => domain.getState({ timeoutMs: wrong('1s') }),
      'Domain.getState: timeoutMs must be a number of milliseconds, got "1s"',
    ],
  ])('%s', async (_, run, message) => {
    const error: unknown = await run().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(message);
  });

  // Whoever goes round the wrapper must not be able to crash the process.
  test('the addon itself refuses what is not what it made', async () => {
    const addon = native();
    const done = (): void => undefined;
    const attempts: [() => unknown, string][] = [
      [() => addon.connectionIsAlive(wrong({}), done), 'argument 0 must be a connection handle'],
      [() => addon.connectionIsAlive(wrong(undefined), done), 'argument 0 must be a connection handle'],
      [() => addon.domainGetState(wrong({}), done), 'argument 0 must be a domain handle'],
      [() => addon.connectionOpen(wrong(1), wrong({}), done, done, done), 'argument 0 must be a string'],
      [() => addon.connectionOpen('x', wrong(null), done, done, done), 'argument 1 must be an object'],
      [
        () => (addon.connectionOpen as unknown as (...args: unknown[]) => void)('x', {}, done, done),
        'argument 4 must be a function',
      ],
      [() => addon.abandon(wrong('x')), 'argument 0 must be an unsigned 32-bit integer'],
      [() => addon.domainClose(wrong(null)), 'argument 0 must be a domain handle'],
    ];
    for (const [attempt, message] of attempts) {
      expect(attempt).toThrow(expect.objectContaining({ name: 'TypeError', message }) as never);
    }
    const handle = await new Promise<never>((resolve) => {
      addon.connectionOpen(
        'test:///default',
        { keepAliveInterval: 0, keepAliveCount: 0, readOnly: false },
        done,
        done,
        (_, h) => resolve(h as never),
      );
    });
    expect(() => addon.domainGetState(handle, done)).toThrow('argument 0 must be a domain handle');
    expect(() => addon.connectionLookupByName(handle, wrong(3), done)).toThrow('argument 1 must be a string');
    expect(() => addon.connectionListAllDomains(handle, -1, done)).toThrow(
      'argument 1 must be an unsigned 32-bit integer',
    );
    expect(() => addon.connectionListAllDomains(handle, 0, wrong(null))).toThrow('argument 2 must be a function');
    await new Promise((resolve) => addon.connectionClose(handle, resolve));
    expect(() => addon.connectionIsAlive(handle, done)).toThrow('argument 0 must be an open connection');
    expect(() => addon.connectionClose(handle, done)).toThrow('argument 0 must be an open connection');
  });
});
