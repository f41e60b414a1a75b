import { documentedMetrics, exportedMetrics } from '@yagura/runtime/testing';
import { apiMetrics } from './metrics.ts';

const NAME = 'kubevirt_vmi_last_api_connection_timestamp_seconds';

async function series(metrics: ReturnType<typeof apiMetrics>, name: string): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`));
}

test('the last connection of an instance is told after its end, its open streams are not', async () => {
  const metrics = apiMetrics();
  const begun = Math.floor(Date.now() / 1000);
  const ended = metrics.streamOpened('console', { namespace: 'ns', name: 'a' });
  expect(await series(metrics, 'kubevirt_console_active_connections')).toHaveLength(1);
  ended();
  expect(await series(metrics, 'kubevirt_console_active_connections')).toEqual([]);
  const [line = '', ...more] = await series(metrics, NAME);
  expect(more).toEqual([]);
  expect(line).toContain('namespace="ns",vmi="a"');
  expect(Number(line.split(' ')[1])).toBeGreaterThanOrEqual(begun);
});

test('of a thousand instances the last connection is remembered, those before are let go', async () => {
  const metrics = apiMetrics();
  metrics.streamOpened('vnc', { namespace: 'ns', name: 'first' });
  for (let at = 0; at < 999; at += 1) metrics.streamOpened('vnc', { namespace: 'ns', name: `vm-${at}` });
  metrics.streamOpened('vnc', { namespace: 'ns', name: 'first' });
  metrics.streamOpened('vnc', { namespace: 'ns', name: 'last' });
  const told = (await series(metrics, NAME)).map((line) => /vmi="([^"]+)"/.exec(line)?.[1]);
  expect(told).toHaveLength(1000);
  expect(told).toEqual(expect.arrayContaining(['first', 'last', 'vm-1']));
  expect(told).not.toContain('vm-0');
});

test('docs/metrics.md names what virt-api exports', () => {
  expect(documentedMetrics('virt-api')).toEqual(exportedMetrics(apiMetrics().registry));
});
