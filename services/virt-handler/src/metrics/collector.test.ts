import type { Sample } from '@yagura/layers';
import { createRegistry } from '@yagura/runtime/metrics';
import { documentedMetrics, exportedMetrics } from '@yagura/runtime/testing';
import { testVmi } from '../vmi/testing.ts';
import { VmiCollector } from './collector.ts';
import { VmiCounters } from './counters.ts';
import { registerMetrics } from './registry.ts';
import { AT, collectorParts, instanceOf, lines, stats } from './testing.ts';

const ago = (seconds: number) => new Date(AT.getTime() - seconds * 1000);
const sign = (
  layer: Sample['layer'],
  field: string,
  seconds: number,
  state: Sample['state'] = 'answering',
): Sample => ({
  layer,
  field,
  source: 'test',
  observedAt: ago(seconds),
  maxAge: 10,
  state,
});
const HEALTHY = [
  sign('node', 'launcher.channel', 1),
  sign('domain', 'state', 1),
  sign('domain', 'qemu.monitor', 2),
  sign('guest', 'agent.lastSuccess', 3),
];

test('every series says where its instance is, and its figures carry the labels of the instance', async () => {
  const series = lines(await new VmiCollector(collectorParts([instanceOf('demo', {})], () => HEALTHY)).read());
  const where = 'node=node-a,namespace=default,name=demo';
  expect(series[0]).toBe(`cpu_usage_seconds_total{${where},kubernetes_vmi_label_example_org_role=db} 173.68`);
  expect(series).toContain(`guest_load_1m{${where},kubernetes_vmi_label_example_org_role=db} 0.52`);
  expect(series.filter((line) => line.startsWith('yagura_vmi_layer_'))).toEqual([
    `yagura_vmi_layer_up{${where},layer=node} 1`,
    `yagura_vmi_layer_age_seconds{${where},layer=node} 1`,
    `yagura_vmi_layer_up{${where},layer=domain} 1`,
    `yagura_vmi_layer_age_seconds{${where},layer=domain} 2`,
    `yagura_vmi_layer_up{${where},layer=guest} 1`,
    `yagura_vmi_layer_age_seconds{${where},layer=guest} 3`,
    `yagura_vmi_layer_up{${where},layer=metrics} 1`,
    `yagura_vmi_layer_age_seconds{${where},layer=metrics} 0`,
  ]);
});

test('an instance whose QEMU hangs costs only itself, and its age grows', async () => {
  let hangs = false;
  let now = AT;
  const stuck = instanceOf('stuck', {
    getDomainStats: async () => (hangs ? Promise.reject(new Error('DEADLINE_EXCEEDED')) : stats()),
  });
  const samples = () => (hangs ? [...HEALTHY.slice(0, 2), sign('domain', 'qemu.monitor', 40, 'failing')] : HEALTHY);
  const parts = { ...collectorParts([stuck, instanceOf('well', {})], samples), now: () => now };
  const collector = new VmiCollector(parts);
  await collector.read();
  hangs = true;
  now = new Date(AT.getTime() + 30_000);
  const series = lines(await collector.read());
  const of = (name: string) =>
    series.filter((line) => line.includes(`name=${name}`)).map((line) => line.replace(/node=.*layer=/, ''));
  expect(of('well')).toContain('yagura_vmi_layer_up{metrics} 1');
  expect(of('well').some((line) => line.startsWith('cpu_usage'))).toBe(true);
  expect(of('stuck').some((line) => line.startsWith('cpu_usage'))).toBe(false);
  expect(of('stuck')).toEqual(
    expect.arrayContaining([
      'yagura_vmi_layer_up{domain} 0',
      'yagura_vmi_layer_age_seconds{domain} 70',
      'yagura_vmi_layer_up{metrics} 0',
      'yagura_vmi_layer_age_seconds{metrics} 30',
    ]),
  );
});

test('launchers are asked at the same time, each with a deadline', async () => {
  const deadlines: unknown[] = [];
  let asked = 0;
  let everybodyIsAsked = (): void => {};
  const all = new Promise<void>((resolve) => {
    everybodyIsAsked = resolve;
  });
  const getDomainStats = async (_request?: unknown, options?: { timeoutMs?: number }) => {
    deadlines.push(options?.timeoutMs);
    asked += 1;
    if (asked === 20) everybodyIsAsked();
    await all;
    return stats();
  };
  const instances = Array.from({ length: 20 }, (_, index) => instanceOf(`vm-${index}`, { getDomainStats }));
  await new VmiCollector(collectorParts(instances)).read();
  expect(deadlines).toHaveLength(20);
  for (const deadline of deadlines) expect(deadline).toBeLessThan(2_000);
});

test.each([
  [
    'is known to be silent',
    instanceOf('demo', { getDomainStats: () => Promise.reject(new Error('asked')) }, { silentMs: () => 500 }),
  ],
  ['is not there', { vmi: testVmi({ phase: 'Scheduled' }), pod: undefined, link: undefined }],
])('a launcher that %s is not waited for; its layers are down', async (_what, instance) => {
  const series = lines(await new VmiCollector(collectorParts([{ ...instance }])).read());
  const layers = series.filter((line) => line.startsWith('yagura_vmi_layer'));
  expect(layers.map((line) => line.replace(/.*layer=/, ''))).toEqual([
    'node} 0',
    'domain} 0',
    'guest} 0',
    'metrics} 0',
  ]);
});

test('an instance that has ended has no series', async () => {
  const instance = { ...instanceOf('demo', {}), vmi: testVmi({ phase: 'Succeeded' }) };
  expect(await new VmiCollector(collectorParts([instance])).read()).toEqual([]);
});

test('an instance that cannot be read does not take the others along', async () => {
  const [bad, good] = [instanceOf('bad', {}), instanceOf('good', {})];
  const parts = collectorParts([bad, good], (instance) => {
    if (instance === bad) throw new Error('broken');
    return [];
  });
  const series = lines(await new VmiCollector(parts).read());
  expect(series.some((line) => line.includes('name=good'))).toBe(true);
});

test('syncs are forgotten with their instance, panics are not', () => {
  const counters = new VmiCounters();
  counters.synced('default/demo');
  counters.event('default/demo', { type: 'lifecycle', detail: 'crashed panicked' });
  counters.event('default/demo', { type: 'lifecycle', detail: 'stopped crashed' });
  counters.forget('default/demo');
  expect(lines(counters.series())).toEqual(['guest_os_panic_total{namespace=default,name=demo} 1']);
});

test('docs/metrics.md names what virt-handler exports', () => {
  const registry = createRegistry();
  registerMetrics(registry, { read: async () => [] }, new VmiCounters(), { version: '1', ready: () => true });
  expect(documentedMetrics('virt-handler')).toEqual(exportedMetrics(registry));
});
