import { observe, type Sample } from './observation.ts';
import { layersReport } from './report.ts';
import { formatAge, renderLayers, renderStatus } from './table.ts';

const now = new Date('2026-11-30T12:00:00Z');
const base: Sample = { layer: 'domain', field: 'state', source: 'libvirt', maxAge: 10, state: 'answering' };
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

test('the table is aligned, from far layers to near, and says what is missing', () => {
  const samples: Sample[] = [
    {
      ...base,
      layer: 'network',
      field: 'default.podIPs',
      value: ['10.244.1.5'],
      source: 'pod status',
      observedAt: ago(65),
    },
    { ...base, value: 'running', observedAt: ago(2) },
    { ...base, field: 'reason', value: 'booted', observedAt: ago(2), state: 'failing', error: 'timed\nout' },
    { ...base, layer: 'guest', field: 'os', source: 'guest-agent' },
    { ...base, layer: 'node', field: 'launcher.channel', value: 'answering', source: 'virt-handler', observedAt: now },
  ];
  const report = layersReport(
    { namespace: 'default', name: 'demo' },
    samples.map((sample) => observe(sample, now)),
    now,
  );
  expect(renderLayers(report)).toBe(
    [
      'LAYER    FIELD             VALUE       SOURCE        AGE  FRESHNESS',
      'node     launcher.channel  answering   virt-handler  0ms  live',
      'domain   state             running     libvirt       2s   live',
      'domain   reason            booted      libvirt       2s   stale: timed out',
      'guest    os                -           guest-agent   -    never',
      'network  default.podIPs    10.244.1.5  pod status    65s  stale',
      '',
    ].join('\n'),
  );
});

test('what the object shows stands beside what its source says, with the lag', () => {
  const report = layersReport({ namespace: 'default', name: 'demo' }, [], now);
  const status = [
    { field: 'status.phase', shown: 'Scheduled', source: 'domain state', now: 'Running', agrees: false, lagSeconds: 2 },
    { field: 'status.guestOSInfo', shown: 'Debian', source: 'guest os', now: null, agrees: null, lagSeconds: null },
  ];
  expect(renderStatus({ ...report, status })).toBe(
    [
      'STATUS FIELD        SHOWN      SOURCE SAYS  SOURCE        LAG',
      'status.phase        Scheduled  Running      domain state  2s',
      'status.guestOSInfo  Debian     -            guest os      unknown',
      '',
    ].join('\n'),
  );
  expect(renderStatus(report)).toBe('');
});

test.each([
  [0, '0ms'],
  [-5, '0ms'],
  [999, '999ms'],
  [119_000, '119s'],
  [120_000, '2m'],
  [200_000, '3m20s'],
  [3_600_000, '1h'],
  [14_700_000, '4h5m'],
  [183_600_000, '2d3h'],
])('%d ms is written as %s', (milliseconds, text) => {
  expect(formatAge(milliseconds)).toBe(text);
});
