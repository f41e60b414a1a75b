import type { AddressInfo } from 'node:net';
import { Health } from './health.ts';
import { Counter, createRegistry } from './metrics.ts';
import { startOpsServer } from './ops-server.ts';

async function serve() {
  let wrong: string | undefined;
  const health = new Health();
  health.add('cache', () => wrong);
  const registry = createRegistry();
  new Counter({ name: 'yagura_test_total', help: 'test', registers: [registry] }).inc(3);
  const server = await startOpsServer({ health, registry, json: { '/leader': () => ({ leader: true }) } }, { port: 0 });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, break: (message: string) => (wrong = message), close: () => server.close() };
}

test('health turns to 503 and says what is wrong', async () => {
  const ops = await serve();
  expect((await fetch(`${ops.base}/healthz`)).status).toBe(200);
  ops.break('not synced');
  const sick = await fetch(`${ops.base}/healthz`);
  expect(sick.status).toBe(503);
  expect(await sick.text()).toBe('cache: not synced');
  expect((await fetch(`${ops.base}/readyz`)).status).toBe(503);
  ops.close();
});

test('metrics, JSON paths and unknown paths', async () => {
  const ops = await serve();
  expect(await (await fetch(`${ops.base}/metrics`)).text()).toContain('yagura_test_total 3');
  expect(await (await fetch(`${ops.base}/leader`)).json()).toEqual({ leader: true });
  expect((await fetch(`${ops.base}/nothing`)).status).toBe(404);
  ops.close();
});
