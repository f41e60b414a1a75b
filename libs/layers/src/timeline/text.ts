import type { JsonValue } from '../observation.ts';
import { oneLine } from '../one-line.ts';
import { aligned, formatAge, formatValue } from '../table.ts';
import { isFreshnessAlone } from './changes.ts';
import type { ChangeEntry, FlapEntry, RunSummary, Timeline, TimelineEntry } from './types.ts';

const HEADER = ['TIME', 'LAYER', 'SOURCE', 'WHAT'];
/** Of most entries, so that lines which come one by one stand below each other. */
const WIDTHS = [24, 10, 22];

/** The timeline for a person: of what and when, then a line an entry, the oldest first. */
export function renderTimeline(timeline: Timeline): string {
  return (
    timelineTitle(timeline) +
    (timeline.entries.length === 0 ? 'Nothing was recorded.\n' : renderEntries(timeline.entries))
  );
}

/** Of which run of which instance it tells, and what it lacks. */
export function timelineTitle({ metadata, node, recording, dropped, runs, unanswered = [] }: Timeline): string {
  const { namespace, name, uid } = metadata;
  const state = recording ? '' : ', it is gone';
  const others = runs.filter((run) => run.uid !== uid).length;
  const lines = [
    `${namespace}/${name} on node ${node}${state} (uid ${uid})`,
    ...(dropped > 0 ? [`${dropped} older ${dropped === 1 ? 'entry is' : 'entries are'} not kept any more`] : []),
    ...(others > 0 ? [`${others} more ${others === 1 ? 'run' : 'runs'} of that name: --runs lists them`] : []),
    ...unanswered.map((one) => `node ${one.node} may know of more: ${oneLine(one.error)}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** Entries in aligned columns; `header` is left out where lines go on from earlier ones. */
export function renderEntries(entries: readonly TimelineEntry[], header = true): string {
  return aligned([...(header ? [HEADER] : []), ...entries.map(row)], WIDTHS);
}

/** The runs of a name, newest first. */
export function renderRuns(runs: readonly RunSummary[]): string {
  return aligned([
    ['UID', 'NODE', 'FROM', 'LAST ENTRY', 'STATE'],
    ...runs.map(({ uid, node, startedAt, lastAt, recording }) => [
      uid,
      node,
      startedAt,
      lastAt ?? '-',
      recording ? 'recorded' : 'gone',
    ]),
  ]);
}

function row(entry: TimelineEntry): string[] {
  const writer = entry.kind === 'change' && entry.writer !== undefined ? ` (written by ${entry.writer})` : '';
  return [entry.time, entry.layer, entry.source, `${what(entry)}${writer}`];
}

function what(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'event':
      return `${entry.warning ? 'Warning ' : ''}${oneLine(entry.field)}${entry.message === '' ? '' : `: ${oneLine(entry.message)}`}`;
    case 'change':
      return changed(entry);
    case 'flap':
      return flapped(entry);
  }
}

function changed(entry: ChangeEntry): string {
  const { field, also = [], old, new: now, freshness, error } = entry;
  const fields = also.length === 0 ? oneLine(field) : `${oneLine(field)} and ${also.length} more`;
  const trust = freshness === undefined ? '' : `${freshness.old} → ${freshness.new}`;
  const why = error === undefined ? '' : `: ${oneLine(error)}`;
  if (isFreshnessAlone(entry)) return `${fields}: ${trust}${why}`;
  return `${fields}: ${text(old)} → ${text(now)}${trust === '' ? '' : ` (${trust}${why})`}`;
}

function flapped({ field, of, count, since, time, values, more, new: now, writers = [] }: FlapEntry): string {
  const span = formatAge(Date.parse(time) - Date.parse(since));
  const named = values.map(text).join(' ↔ ');
  if (of === 'event')
    return `${field} told ${count} times in ${span}${more ? ', last' : ''}: ${more ? text(now) : named}`;
  const how = more
    ? `keeps changing, ${count} changes in ${span}, now ${text(now)}`
    : `flaps, ${count} changes in ${span}: ${named}`;
  return `${field} ${how}${writers.length > 1 ? `; written in turn by ${writers.join(', ')}` : ''}`;
}

const text = (value: JsonValue) => (value === null ? '-' : formatValue(value));
