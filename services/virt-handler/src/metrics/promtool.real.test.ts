import { createRegistry } from '@yagura/runtime/metrics';
import { promtoolProblems } from '@yagura/runtime/testing';
import { VmiCollector } from './collector.ts';
import { VmiCounters } from './counters.ts';
import { registerMetrics } from './registry.ts';
import { collectorParts, instanceOf } from './testing.ts';

test('Prometheus reads what virt-handler exports, and finds no fault', async () => {
  const registry = createRegistry();
  const counters = new VmiCounters();
  counters.synced('default/demo');
  counters.event('default/demo', { type: 'lifecycle', detail: 'crashed panicked' });
  const collector = new VmiCollector(collectorParts([instanceOf('demo', {}), instanceOf('other', {})]));
  registerMetrics(registry, collector, counters, { version: '1', ready: () => true });
  const text = await registry.metrics();
  expect(text).toContain('kubevirt_vmi_memory_usable_bytes{');
  expect(promtoolProblems(text)).toEqual([]);
});
