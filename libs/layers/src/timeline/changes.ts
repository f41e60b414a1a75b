import type { Freshness, JsonValue, Layer, Observation } from '../observation.ts';
import { printable } from '../one-line.ts';
import { recorded } from './measures.ts';
import { shortText, shortValue } from './shorten.ts';
import type { ChangeEntry } from './types.ts';

/** What a field said last. */
export interface Known {
  value: JsonValue;
  freshness: Freshness;
  source: string;
}
/** By `layer/field`. */
export type Knowledge = Map<string, Known>;

export type Change = Omit<ChangeEntry, 'seq' | 'time' | 'kind'>;

export const pathOf = ({ layer, field }: { layer: Layer; field: string }): string => `${layer}/${field}`;

/**
 * What is otherwise than it was known, and brings what is known up to that. A field that nobody has seen yet (`never`)
 * changes nothing: it was not asked for yet. One that is missing is gone only where its source is heard of in that layer.
 * The first value of a field is a change from null. Of measures only the freshness counts.
 */
export function takeChanges(known: Knowledge, observations: readonly Observation[]): Change[] {
  const changes: Change[] = [];
  const seen = new Set<string>();
  const heard = new Set<string>();
  for (const observed of observations) {
    const observation = { ...observed, field: printable(observed.field) };
    const path = pathOf(observation);
    if (seen.has(path)) continue;
    seen.add(path);
    if (observation.freshness === 'live') heard.add(sourceOf(observation));
    if (observation.freshness === 'never') continue;
    const before = known.get(path);
    const now = knownOf(observation, before);
    known.set(path, now);
    const change = changeOf(observation, before, now);
    if (change !== undefined) changes.push(change);
  }
  for (const [path, { value, source }] of [...known]) {
    const layer = path.slice(0, path.indexOf('/')) as Layer;
    if (seen.has(path) || !heard.has(sourceOf({ layer, source }))) continue;
    known.delete(path);
    if (value !== null) changes.push({ layer, field: path.slice(layer.length + 1), source, old: value, new: null });
  }
  return together(changes);
}

/** Brings what is known up to an entry that was written down. */
export function takeEntry(known: Knowledge, entry: ChangeEntry): void {
  for (const field of [entry.field, ...(entry.also ?? [])]) {
    const path = pathOf({ layer: entry.layer, field });
    const before = known.get(path);
    const freshness = entry.freshness?.new ?? before?.freshness ?? 'live';
    const value = field === entry.field ? entry.new : (before?.value ?? null);
    known.set(path, { value, freshness, source: entry.source });
  }
}

const sourceOf = ({ layer, source }: { layer: Layer; source: string }) => `${layer} ${source}`;

function knownOf({ field, value, freshness, source }: Observation, before: Known | undefined): Known {
  return { value: shortValue(recorded(field, value, before?.value)), freshness, source };
}

function changeOf(observation: Observation, before: Known | undefined, now: Known): Change | undefined {
  const isFirst = before === undefined;
  const isOther = JSON.stringify(before?.value ?? null) !== JSON.stringify(now.value);
  const old = before?.freshness ?? 'never';
  // That a field is heard of for the first time is told by its value.
  const isFresh = isFirst ? now.freshness === 'live' : old === now.freshness;
  if (!isOther && (isFresh || (isFirst && now.freshness !== 'unsupported'))) return undefined;
  const { layer, field, source, error } = observation;
  return {
    layer,
    field,
    source,
    old: before?.value ?? null,
    new: now.value,
    ...(isFresh ? {} : { freshness: { old, new: now.freshness } }),
    ...(isFresh || error === undefined ? {} : { error: shortText(error) }),
  };
}

/** One change for all fields of a source whose freshness alone has changed, and in the same way. */
function together(changes: Change[]): Change[] {
  const groups = new Map<string, Change>();
  return changes.filter((change) => {
    if (!isFreshnessAlone(change)) return true;
    const { layer, source, freshness, field } = change;
    const key = [layer, source, freshness?.old, freshness?.new].join(' ');
    const first = groups.get(key);
    if (first === undefined) groups.set(key, change);
    else {
      first.also = [...(first.also ?? []), field];
      if (first.error === undefined && change.error !== undefined) first.error = change.error;
    }
    return first === undefined;
  });
}

export function isFreshnessAlone(change: Pick<ChangeEntry, 'old' | 'new' | 'freshness'>): boolean {
  return change.freshness !== undefined && JSON.stringify(change.old) === JSON.stringify(change.new);
}
