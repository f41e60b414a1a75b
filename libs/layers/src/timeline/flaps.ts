import type { JsonValue } from '../observation.ts';
import { isFreshnessAlone } from './changes.ts';
import type { ChangeEntry, EventEntry, FlapEntry, TimelineEntry } from './types.ts';

/** A field that changes more often than this within the window flaps, until it was quiet for as long. */
export const FLAP_CHANGES = 6;
export const FLAP_WINDOW_MS = 120_000;
/** Values and writers that a summary names. */
const NAMED = 4;
const VALUE_CHARACTERS = 100;
/** Fields whose last changes are remembered. */
const REMEMBERED = 500;

type Single = ChangeEntry | EventEntry;
type Flapping = { times: number[]; summary?: number };

/** Which entries are told apart, and which go into one summary. */
export class Flaps {
  readonly #recent = new Map<string, Flapping>();

  /**
   * The entry as it is to be put down: itself, or the summary of its field, at its own number when that begins.
   * @param entryAt an entry that still stands; @param all all of them, for what led up to a summary
   */
  take(entry: Single, entryAt: (seq: number) => TimelineEntry | undefined, all: () => TimelineEntry[]): TimelineEntry {
    const key = keyOf(entry);
    const now = Date.parse(entry.time);
    const field = this.#recent.get(key) ?? { times: [] };
    const times = [...field.times.filter((time) => Math.abs(now - time) <= FLAP_WINDOW_MS), now].slice(
      -FLAP_CHANGES - 1,
    );
    this.#recent.delete(key);
    const begun = times.length > 1 && field.summary !== undefined ? entryAt(field.summary) : undefined;
    const summary =
      begun?.kind === 'flap'
        ? renewed(begun, entry)
        : times.length > FLAP_CHANGES
          ? [...since(all(), key, times[0] ?? now), entry].reduce(renewed, beginOf(entry, times[0] ?? now))
          : undefined;
    this.#recent.set(key, { times, ...(summary === undefined ? {} : { summary: summary.seq }) });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
    return summary ?? entry;
  }
}

/** Earlier entries of the same field, no older than that. */
function since(entries: TimelineEntry[], key: string, time: number): Single[] {
  return entries.filter(
    (entry): entry is Single => entry.kind !== 'flap' && keyOf(entry) === key && Date.parse(entry.time) >= time,
  );
}

function keyOf(entry: Single): string {
  const { kind, layer, field, source } = entry;
  if (kind === 'change' && isFreshnessAlone(entry)) return `freshness ${layer} ${source}`;
  return `${kind} ${layer} ${field}`;
}

function beginOf(entry: Single, since: number): FlapEntry {
  const { seq, time, layer, field, source } = entry;
  const base = { seq, time, layer, field, source };
  return {
    ...base,
    kind: 'flap',
    of: entry.kind,
    count: 0,
    since: new Date(since).toISOString(),
    values: [],
    new: null,
  };
}

function renewed(summary: FlapEntry, entry: Single): FlapEntry {
  const value = valueOf(entry);
  const isChange = entry.kind === 'change';
  const seen = [...(isChange && summary.count === 0 ? [shown(oldOf(entry))] : []), shown(value)];
  const values = seen.reduce<JsonValue[]>(
    (all, one) => (all.some((other) => same(one, other)) ? all : [...all, one]),
    summary.values,
  );
  const writer = isChange ? entry.writer : undefined;
  const writers = [...new Set([...(summary.writers ?? []), ...(writer === undefined ? [] : [writer])])].slice(0, NAMED);
  const freshness = isChange ? entry.freshness?.new : undefined;
  return {
    ...summary,
    time: entry.time,
    count: summary.count + 1,
    values: values.slice(0, NAMED),
    ...(summary.more || values.length > NAMED ? { more: true as const } : {}),
    new: isChange ? entry.new : shown(value),
    ...(freshness === undefined ? {} : { freshness }),
    ...(writers.length === 0 ? {} : { writers }),
  };
}

/** What goes back and forth: the value, or how far it can be trusted, or what is told. */
function valueOf(entry: Single): JsonValue {
  if (entry.kind === 'event') return entry.message;
  return isFreshnessAlone(entry) ? (entry.freshness?.new ?? null) : entry.new;
}

function oldOf(entry: ChangeEntry): JsonValue {
  return isFreshnessAlone(entry) ? (entry.freshness?.old ?? null) : entry.old;
}

const same = (a: JsonValue, b: JsonValue) => JSON.stringify(a) === JSON.stringify(b);

function shown(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= VALUE_CHARACTERS ? value : `${text.slice(0, VALUE_CHARACTERS)}…`;
}
