import { Connection, LibvirtTimeoutError } from './index.ts';
import { native } from './native.ts';
import { SilentServer } from './testing/silent-server.ts';
import { until } from './testing/until.ts';

/** The delay of the event loop while `run` is under way, in ms. */
async function loopDelay(run: () => Promise<unknown>): Promise<number> {
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    worst = Math.max(worst, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  await run();
  clearInterval(timer);
  return worst;
}

describe('a daemon that accepts and never answers', () => {
  let silent: SilentServer;
  beforeEach(() => {
    silent = new SilentServer();
  });
  afterEach(() => silent.close());

  test('open is rejected at its timeout, and says that it had started', async () => {
    const error: unknown = await Connection.open(silent.uri, { timeoutMs: 150 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LibvirtTimeoutError);
    expect(error).toMatchObject({ call: 'Connection.open', timeoutMs: 150, started: true });
    expect((error as Error).message).toBe(
      'Connection.open: no answer within 150 ms (libvirt has not answered; the call may still take effect)',
    );
  });

  test('open is rejected with the reason of its AbortSignal, before and during the call', async () => {
    const reason = new Error('shutting down');
    await expect(Connection.open(silent.uri, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(silent.clients).toBe(0);
    const controller = new AbortController();
    const opening = Connection.open(silent.uri, { signal: controller.signal });
    await until('it is connected', () => silent.clients === 1);
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    await expect(Connection.open(silent.uri, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  test('calls given up do not keep the native side busy once the daemon goes', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => Connection.open(silent.uri, { timeoutMs: 100 }).catch(() => undefined)),
    );
    expect(silent.clients).toBe(20);
    expect(native().counts().calls).toBe(0);
  });

  test('it delays neither the event loop nor another connection', async () => {
    let rejected = 0;
    const stuck = Array.from({ length: 8 }, () =>
      Connection.open(silent.uri, { timeoutMs: 10_000 }).catch(() => rejected++),
    );
    await until('all hang', () => silent.clients === 8);
    const delay = await loopDelay(async () => {
      const connection = await Connection.open('test:///default');
      const domain = await connection.lookupByName('test');
      for (let i = 0; i < 200; i++) await domain.getState();
      await connection.close();
    });
    expect(rejected).toBe(0);
    // Generous, for a busy machine: a blocked loop would be as late as the calls above.
    expect(delay).toBeLessThan(3000);
    await silent.close();
    await Promise.all(stuck);
    silent = new SilentServer();
  });
});
