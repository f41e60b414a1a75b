import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CHILD = fileURLToPath(new URL('testing/churn-child.ts', import.meta.url));

test('10 000 stats calls, with handles dropped and connections opened and closed, do not grow the process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', CHILD, 'test:///default', '10000']);
  const { before, after, domains, calls, droppedEvents } = JSON.parse(stdout) as Record<string, number>;
  expect({ calls, droppedEvents }).toEqual({ calls: 0, droppedEvents: 0 });
  expect(domains).toBeLessThan(50);
  expect((after ?? 0) - (before ?? 0)).toBeLessThan(4096);
}, 120_000);
