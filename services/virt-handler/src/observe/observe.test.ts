import type { VirtualMachineInstance } from '@yagura/api';
import { renderLayers } from '@yagura/layers';
import type { Instance } from '../rest/instances.ts';
import { testDomain, testVmi } from '../vmi/testing.ts';
import { LayerReports, type LayerReportsParts } from './layer-reports.ts';

const now = new Date('2026-11-30T12:00:00Z');
const reportsWith = (
  confirmed: { pods: Date | undefined; vmis: Date | undefined },
  newest: LayerReportsParts['newest'] = () => [],
) =>
  new LayerReports({
    nodeName: 'node-a',
    newest,
    confirmedAt: () => confirmed,
    node: () => ({ heartbeatAt: now, unable: undefined }),
    links: async () => [{ ifname: 'tap0', mtu: 1450, flags: ['UP', 'LOWER_UP'] }],
    migratability: () => ({
      method: 'BlockMigration',
      blockers: [
        { reason: 'InterfaceNotLiveMigratable', message: 'bridge' },
        { reason: 'DisksNotLiveMigratable', message: 'not shared' },
      ],
      storageBlockers: ['not shared'],
    }),
    now: () => now,
  });
const reports = reportsWith({ pods: now, vmis: now });
const answering = (vmi: VirtualMachineInstance) =>
  ({
    vmi,
    pod: { metadata: { uid: 'p' }, status: { podIP: '10.244.0.7' } },
    link: {
      state: () => ({ state: 'answering', lastAnswer: now, version: '0.1.0' }),
      refresh: async () => {},
      domain: testDomain({ observedAt: { seconds: BigInt(now.getTime() / 1000) } }),
      guest: undefined,
    },
  }) as unknown as Instance;

test('without a launcher the report says so, and nothing of the guest is made up', async () => {
  const report = await reports.report({ vmi: testVmi(), pod: undefined, link: undefined });
  const table = renderLayers(report);
  expect(table).toMatch(
    /^node +launcher\.channel +- +virt-handler +- +never: no launcher of the instance is on this node$/m,
  );
  expect(report.observations.filter(({ layer }) => layer === 'guest').every(({ value }) => value === null)).toBe(true);
});

test('the report has what was recorded last', async () => {
  const last = {
    seq: 7,
    time: now.toISOString(),
    kind: 'event',
    layer: 'domain',
    field: 'lifecycle',
    source: 'libvirt',
    message: 'x',
  } as const;
  const asked: unknown[] = [];
  const newest: LayerReportsParts['newest'] = (...args) => {
    asked.push(args);
    return [last];
  };
  const told = reportsWith({ pods: now, vmis: now }, newest);
  const vmi = testVmi();
  expect((await told.report({ vmi, pod: undefined, link: undefined })).changes).toEqual([last]);
  expect(asked).toEqual([[vmi.metadata.uid, 5]]);
});

test.each([
  ['that lives', 60, 'live'],
  ['that is broken', 151, 'stale'],
])('what a watch %s has brought is as old as its last sign of life', async (_, seconds, freshness) => {
  const seen = new Date(now.getTime() - seconds * 1000);
  const { observations } = await reportsWith({ pods: seen, vmis: now }).report(answering(testVmi()));
  expect(observations).toContainEqual(
    expect.objectContaining({
      field: 'default.podIPs',
      value: ['10.244.0.7'],
      observedAt: seen.toISOString(),
      freshness,
    }),
  );
  expect(observations).toContainEqual(expect.objectContaining({ field: 'default.chosen', freshness: 'live' }));
  const lost = await reportsWith({ pods: now, vmis: seen }).report(answering(testVmi()));
  expect(lost.observations).toContainEqual(expect.objectContaining({ field: 'default.chosen', freshness }));
});

test('a launcher pod that nobody has seen has no addresses that could be live', async () => {
  const { observations } = await reports.report({ vmi: testVmi(), pod: undefined, link: undefined });
  expect(observations).toContainEqual(expect.objectContaining({ field: 'default.podIPs', freshness: 'never' }));
});

test('all that keeps a guest from moving is listed, and the devices of its network are looked at', async () => {
  const spec = {
    networks: [{ name: 'default', pod: {} }],
    domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
  };
  const { observations } = await reports.report(answering(testVmi({}, spec)));
  expect(observations).toContainEqual(
    expect.objectContaining({
      layer: 'migration',
      field: 'blockers',
      value: ['InterfaceNotLiveMigratable: bridge', 'DisksNotLiveMigratable: not shared'],
    }),
  );
  expect(observations).toContainEqual(
    expect.objectContaining({ field: 'default.tap', value: { device: 'tap0', up: true, carrier: true } }),
  );
  expect(observations).toContainEqual(
    expect.objectContaining({ field: 'default.bridge', value: 'k6t-eth0 is missing' }),
  );
});
