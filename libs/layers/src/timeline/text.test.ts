import { RunRecord } from './record.ts';
import { newestFirst, selected } from './select.ts';
import { at, head, seen } from './testing.ts';
import { renderEntries, renderRuns, renderTimeline } from './text.ts';
import type { RunSummary, Timeline } from './types.ts';

const running: RunSummary = {
  uid: 'u-1',
  node: 'node-a',
  startedAt: at(0).toISOString(),
  lastAt: null,
  recording: true,
};

function timelineOf(record: RunRecord, part: Partial<Timeline> = {}): Timeline {
  return {
    kind: 'Timeline',
    apiVersion: 'subresources.kubevirt.io/v1',
    metadata: { namespace: 'default', name: 'demo', uid: 'u-1' },
    node: 'node-a',
    generatedAt: at(300).toISOString(),
    recording: true,
    dropped: record.dropped,
    entries: record.entries(),
    runs: [running],
    ...part,
  };
}

function eventful(): RunRecord {
  const record = new RunRecord(head);
  record.observe([seen(), seen({ field: 'reason', value: 'booted' })], at(0));
  record.event({ layer: 'domain', field: 'lifecycle', source: 'libvirt', message: 'suspended paused' }, at(60));
  record.observe([seen({ value: 'paused' }), seen({ field: 'reason', value: 'user' })], at(60));
  const paused = seen({
    layer: 'kubernetes',
    field: 'vmi.condition.Paused',
    source: 'VirtualMachineInstance',
    value: 'True',
  });
  record.observe([paused], at(61), () => 'virt-handler');
  record.event(
    { layer: 'kubernetes', field: 'SyncFailed', source: 'virt-handler', message: 'no\nanswer', warning: true },
    at(62),
  );
  const silent = { freshness: 'stale', error: 'the launcher does not answer' } as const;
  record.observe([seen({ value: 'paused', ...silent }), seen({ field: 'reason', value: 'user', ...silent })], at(80));
  return record;
}

test('a person reads of which run it tells, then a line an entry', () => {
  expect(renderTimeline(timelineOf(eventful()))).toBe(
    [
      'default/demo on node node-a (uid u-1)',
      '',
      'TIME                      LAYER       SOURCE                  WHAT',
      '2026-11-30T12:00:00.000Z  domain      libvirt                 state: - → running',
      '2026-11-30T12:00:00.000Z  domain      libvirt                 reason: - → booted',
      '2026-11-30T12:01:00.000Z  domain      libvirt                 lifecycle: suspended paused',
      '2026-11-30T12:01:00.000Z  domain      libvirt                 state: running → paused',
      '2026-11-30T12:01:00.000Z  domain      libvirt                 reason: booted → user',
      '2026-11-30T12:01:01.000Z  kubernetes  VirtualMachineInstance  vmi.condition.Paused: - → True (written by virt-handler)',
      '2026-11-30T12:01:02.000Z  kubernetes  virt-handler            Warning SyncFailed: no answer',
      '2026-11-30T12:01:20.000Z  domain      libvirt                 state and 1 more: live → stale: the launcher does not answer',
      '',
    ].join('\n'),
  );
});

test('what is gone, what is not kept, what else there is and who did not answer is told first', () => {
  const other = { ...running, uid: 'u-0' };
  const text = renderTimeline(
    timelineOf(new RunRecord(head), {
      recording: false,
      dropped: 3,
      runs: [running, other],
      unanswered: [{ node: 'node-b', error: 'no answer\nwithin 3 s' }],
    }),
  );
  expect(text).toBe(
    [
      'default/demo on node node-a, it is gone (uid u-1)',
      '3 older entries are not kept any more',
      '1 more run of that name: --runs lists them',
      'node node-b may know of more: no answer within 3 s',
      '',
      'Nothing was recorded.',
      '',
    ].join('\n'),
  );
});

test.each([
  [
    'two writers fight over it',
    ['True', 'False'],
    ['a', 'b'],
    'flaps, 12 changes in 11s: - ↔ True ↔ False; written in turn by a, b',
  ],
  ['one writer changes its mind', ['True', 'False'], ['a'], 'flaps, 12 changes in 11s: - ↔ True ↔ False'],
  ['it never comes back', ['1', '2', '3', '4', '5'], ['a'], 'keeps changing, 12 changes in 11s, now 2'],
])('a field that flaps: %s', (_, values, writers, text) => {
  const record = new RunRecord(head);
  for (let index = 0; index < 12; index++) {
    const value = values[index % values.length] ?? '';
    const ready = seen({ layer: 'kubernetes', field: 'vmi.phase', source: 'VirtualMachineInstance', value });
    record.observe([ready], at(index), () => writers[index % writers.length]);
  }
  expect(renderEntries(record.entries().slice(-1), false)).toContain(`vmi.phase ${text}\n`);
});

test('an event that comes again and again is one line', () => {
  const record = new RunRecord(head);
  const failed = { layer: 'kubernetes', field: 'SyncFailed', source: 'virt-handler', message: 'no disk' } as const;
  for (let index = 0; index < 12; index++) record.event(failed, at(index));
  expect(renderEntries(record.entries().slice(-1), false)).toMatch(/SyncFailed told 12 times in 11s: no disk\n$/);
});

test.each([
  ['a layer', { layers: ['kubernetes'] as const }, [6, 7]],
  ['two layers', { layers: ['kubernetes', 'guest'] as const }, [6, 7]],
  ['a time', { sinceMs: 239_500 }, [6, 7, 8]],
  ['both', { layers: ['domain'] as const, sinceMs: 239_500 }, [8]],
  ['nothing', {}, [1, 2, 3, 4, 5, 6, 7, 8]],
])('selected by %s', (_, selection, seqs) => {
  expect(selected(timelineOf(eventful()), selection).entries.map(({ seq }) => seq)).toEqual(seqs);
});

test('runs are listed with the one that is recorded first, then by their beginning', () => {
  const gone = (uid: string, seconds: number): RunSummary => ({
    ...running,
    uid,
    startedAt: at(seconds).toISOString(),
    lastAt: at(seconds + 5).toISOString(),
    recording: false,
  });
  expect(renderRuns(newestFirst([gone('u-8', 10), running, gone('u-9', 20)]))).toBe(
    [
      'UID  NODE    FROM                      LAST ENTRY                STATE',
      'u-1  node-a  2026-11-30T12:00:00.000Z  -                         recorded',
      'u-9  node-a  2026-11-30T12:00:20.000Z  2026-11-30T12:00:25.000Z  gone',
      'u-8  node-a  2026-11-30T12:00:10.000Z  2026-11-30T12:00:15.000Z  gone',
      '',
    ].join('\n'),
  );
});
