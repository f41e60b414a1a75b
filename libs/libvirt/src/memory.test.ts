import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeReal } from './testing/describe-real.ts';
import { SessionDaemon } from './testing/session-daemon.ts';
import { domainXML } from './testing/tiny-guest.ts';

const CHILD = fileURLToPath(new URL('testing/churn-child.ts', import.meta.url));

async function churn(uri: string, calls: number): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', CHILD, uri, String(calls)]);
  const figures = JSON.parse(stdout) as Record<'before' | 'after' | 'domains' | 'calls' | 'droppedEvents', number>;
  expect(figures).toMatchObject({ calls: 0, droppedEvents: 0 });
  expect(figures.domains).toBeLessThan(50);
  expect(figures.after - figures.before).toBeLessThan(4096);
}

test('10 000 stats calls, with handles dropped and connections opened and closed, do not grow the process', async () => {
  await churn('test:///default', 10_000);
}, 120_000);

describeReal('against real QEMU', () => {
  test('10 000 stats calls do not grow the process', async () => {
    const daemon = await SessionDaemon.start();
    try {
      const connection = await daemon.open();
      await (await connection.defineXML(domainXML({ name: 'ns_counted' }))).create(['paused']);
      await churn(daemon.uri, 10_000);
      await connection.close();
    } finally {
      await daemon.stop();
    }
  }, 300_000);
});
