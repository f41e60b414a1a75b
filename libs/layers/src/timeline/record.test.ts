import fc from 'fast-check';
import type { Freshness } from '../observation.ts';
import { FLAP_CHANGES, FLAP_WINDOW_MS } from './flaps.ts';
import { RunRecord } from './record.ts';
import { at, head, seen } from './testing.ts';

const LIMITS = { entries: 12, bytes: 4000 };
const told = (message: string, field = 'lifecycle') =>
  ({ layer: 'domain', field, source: 'libvirt', message }) as const;
const reread = (lines: string[], limits = LIMITS) => RunRecord.read(lines, limits);

test('events and changes stand in the order in which they came, whatever the clock says', () => {
  const record = new RunRecord(head);
  record.observe([seen()], at(10));
  record.event(told('suspended paused'), at(5));
  record.observe([seen({ value: 'paused' })], at(5));
  expect(record.entries().map(({ seq, time, kind }) => [seq, time, kind])).toEqual([
    [1, at(10).toISOString(), 'change'],
    [2, at(5).toISOString(), 'event'],
    [3, at(5).toISOString(), 'change'],
  ]);
});

test('an event that tells a measure is none', () => {
  const record = new RunRecord(head);
  record.event(told('', 'balloon-change'), at(0));
  expect(record.entries()).toEqual([]);
});

describe('a field that flaps', () => {
  const flapping = (changes: number, apartSeconds: number, writers: (string | undefined)[] = []) => {
    const record = new RunRecord(head);
    for (let index = 0; index <= changes; index++) {
      const ready = seen({
        layer: 'kubernetes',
        field: 'vmi.condition.Ready',
        value: index % 2 === 0 ? 'True' : 'False',
      });
      record.observe([ready], at(index * apartSeconds), () => writers[index % writers.length]);
    }
    return record;
  };

  test('is told by single changes up to a number, then by one summary', () => {
    expect(flapping(FLAP_CHANGES - 1, 1).entries()).toHaveLength(FLAP_CHANGES);
    const entries = flapping(100, 1).entries();
    expect(entries).toHaveLength(FLAP_CHANGES + 1);
    expect(entries.at(-1)).toMatchObject({
      kind: 'flap',
      of: 'change',
      count: 101,
      since: at(0).toISOString(),
      time: at(100).toISOString(),
      values: [null, 'True', 'False'],
      new: 'True',
    });
  });

  test('names those who write it in turn', () => {
    expect(flapping(20, 1, ['virt-controller', 'virt-handler']).entries().at(-1)).toMatchObject({
      writers: ['virt-controller', 'virt-handler'],
    });
  });

  test('changes that are far enough apart are ordinary', () => {
    const entries = flapping(20, FLAP_WINDOW_MS / 1000 + 1).entries();
    expect(entries).toHaveLength(21);
    expect(entries.every(({ kind }) => kind === 'change')).toBe(true);
  });

  test('a change after a quiet time stands by itself again', () => {
    const record = flapping(20, 1);
    const later = 20 + FLAP_WINDOW_MS / 1000 + 1;
    record.observe([seen({ layer: 'kubernetes', field: 'vmi.condition.Ready', value: 'Unknown' })], at(later));
    expect(record.entries().at(-1)).toMatchObject({ kind: 'change', new: 'Unknown' });
  });

  test('one that goes on and on says so', () => {
    const record = new RunRecord(head);
    for (let index = 0; index < 30; index++) record.observe([seen({ field: 'count', value: index })], at(index));
    expect(record.entries()).toHaveLength(FLAP_CHANGES + 1);
    expect(record.entries().at(-1)).toMatchObject({ more: true, new: 29, count: 30 });
  });

  test('that fields of one source age and come back together is one summary', () => {
    const record = new RunRecord(head);
    for (let index = 0; index < 40; index++) {
      const freshness: Freshness = index % 2 === 0 ? 'live' : 'stale';
      record.observe([seen({ freshness }), seen({ field: 'machine', value: 'q35', freshness })], at(index));
    }
    expect(record.entries().filter(({ kind }) => kind === 'flap')).toEqual([
      expect.objectContaining({ values: ['live', 'stale'], freshness: 'stale', new: 'running' }),
    ]);
  });
});

test('a line that was not written to its end is left out, and the rest is read', () => {
  const record = new RunRecord(head);
  record.observe([seen()], at(0));
  record.event(told('suspended paused'), at(1));
  const lines = record.allLines();
  const torn = [...lines.slice(0, -2), lines.at(-2)?.slice(0, 20) ?? '', ''];
  expect(reread(torn)?.entries()).toEqual(record.entries().slice(0, -1));
});

test.each([[[]], [['']], [['{"format":99}']], [['[]']], [['null']]])('lines %j are no record', (lines) => {
  expect(RunRecord.read(lines)).toBeUndefined();
});

test('what was known when virt-handler ended is known to the next: only what is otherwise is a change', () => {
  const record = new RunRecord(head);
  record.observe([seen(), seen({ field: 'machine', value: 'q35' })], at(0));
  const next = reread([...record.allLines()]);
  next?.observe([seen({ value: 'paused' }), seen({ field: 'machine', value: 'q35' })], at(60));
  expect(next?.entries().slice(2)).toEqual([expect.objectContaining({ seq: 3, old: 'running', new: 'paused' })]);
});

const step = fc.oneof(
  fc.record({
    field: fc.constantFrom('state', 'reason', 'machine'),
    value: fc.oneof(fc.constantFrom('a', 'b'), fc.string({ maxLength: 40 })),
    freshness: fc.constantFrom<Freshness>('live', 'stale', 'lost', 'never'),
    after: fc.nat(30),
  }),
  fc.record({ message: fc.string({ maxLength: 60 }), after: fc.nat(30) }),
  fc.constant('write' as const),
);

/** Takes the steps; what is written down meanwhile is what a reader finds. */
function taken(steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): {
  record: RunRecord;
  lines: string[];
} {
  const record = new RunRecord(head, LIMITS);
  const lines = record.allLines();
  let seconds = 0;
  for (const one of steps) {
    if (one === 'write') {
      lines.push(...record.takeLines());
      continue;
    }
    seconds += one.after;
    if ('message' in one) record.event(told(one.message), at(seconds));
    else record.observe([seen(one)], at(seconds));
  }
  lines.push(...record.takeLines());
  return { record, lines };
}

test('whatever comes: bounded, in order, the newest is there, and what is read again is what was in memory', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { record, lines } = taken(steps);
      const entries = record.entries();
      const seqs = entries.map(({ seq }) => seq);
      expect(entries.length).toBeLessThanOrEqual(LIMITS.entries);
      expect(seqs).toEqual(seqs.map((_, index) => record.dropped + 1 + index));
      expect(reread(lines)?.entries()).toEqual(entries);
      expect(reread(record.allLines())?.entries()).toEqual(entries);
      expect(reread(record.allLines())?.allLines()).toEqual(record.allLines());
      expect(reread(record.allLines())?.dropped).toBe(record.dropped);
      record.event(told('the newest', 'newest'), at(1e6));
      expect(record.entries().at(-1)).toMatchObject({ field: 'newest', message: 'the newest' });
    }),
  );
});

test('a full record takes no more bytes than it may, whatever is in it', () => {
  const record = new RunRecord(head);
  for (let index = 0; index < 5000; index++) {
    record.observe([seen({ field: `disk.${index % 700}`, value: `${index} ${'ü'.repeat(200)}` })], at(index));
  }
  const bytes = Buffer.byteLength(
    record
      .entries()
      .map((entry) => JSON.stringify(entry))
      .join('\n'),
  );
  expect(bytes).toBeLessThanOrEqual(128 * 1024);
  expect(record.entries().length).toBeLessThanOrEqual(500);
});

test.each([
  ['far from full', 1000],
  ['at the mark', 8800],
])('a file system that is written all the time is no news (%s); one that comes or goes is', (_, least) => {
  const record = new RunRecord(head);
  const disk = { layer: 'guest', source: 'guest-agent' } as const;
  const root = (used: number) =>
    seen({ ...disk, field: 'filesystem./', value: `${used} of 9876 MiB used, ext4 on vda1` });
  const other = seen({ ...disk, field: 'filesystem./data', value: '9 of 10 MiB used, xfs on vdb' });
  for (let poll = 0; poll < 180; poll++) record.observe([root(least + (poll % 2) * 200 + poll)], at(poll * 20));
  expect(record.entries().length).toBeLessThanOrEqual(2);
  expect(record.entries()[0]).toMatchObject({ new: 'ext4 on vda1' });
  record.observe([root(least), other], at(4000));
  record.observe([root(least)], at(4020));
  expect(record.entries().slice(-2)).toMatchObject([
    { field: 'filesystem./data', new: 'xfs on vdb' },
    { field: 'filesystem./data', new: null },
  ]);
});

test('what was recorded before its past could be read goes on from it', () => {
  const past = new RunRecord(head);
  past.observe([seen()], at(0));
  const record = new RunRecord(head);
  record.observe([seen({ value: 'paused' })], at(5));
  expect(record.after(past.allLines())?.entries()).toMatchObject([
    { seq: 1, new: 'running' },
    { seq: 2, new: 'paused' },
  ]);
});
