import type { JsonValue, Layer, Observation } from '../observation.ts';
import { printable } from '../one-line.ts';
import { type Knowledge, type Known, pathOf, takeChanges, takeEntry } from './changes.ts';
import { Flaps } from './flaps.ts';
import { isMeasuringEvent } from './measures.ts';
import { Ring, type RingLimits } from './ring.ts';
import { shortText } from './shorten.ts';
import type { ChangeEntry, EventEntry, TimelineEntry } from './types.ts';

/** Which run it is, and since when it is recorded. */
export interface RunHead {
  namespace: string;
  name: string;
  uid: string;
  node: string;
  /** RFC 3339. */
  startedAt: string;
}

export interface RecordedEvent {
  layer: Layer;
  /** Name of the event. */
  field: string;
  source: string;
  message: string;
  warning?: true | undefined;
}

export const RING_LIMITS: RingLimits = { entries: 500, bytes: 128 * 1024 };
/** Of the lines that are written down; another reader than this version reads nothing from them. */
const FORMAT = 1;

/** What has changed in one run: in memory, and as lines that can be written down and read again. */
export class RunRecord {
  readonly head: RunHead;
  readonly #ring: Ring;
  readonly #flaps = new Flaps();
  readonly #known: Knowledge;
  /** Numbers of entries whose lines are not written down yet. */
  readonly #unwritten = new Set<number>();

  constructor(head: RunHead, limits: RingLimits = RING_LIMITS) {
    this.head = head;
    this.#ring = new Ring(limits);
    this.#known = new Map();
  }

  /**
   * Takes the layers as they stand at a moment; what is otherwise than before is recorded.
   * @param writerOf the field manager that wrote a field of a Kubernetes object last
   */
  observe(observations: readonly Observation[], at: Date, writerOf?: (field: string) => string | undefined): void {
    for (const change of takeChanges(this.#known, observations)) {
      const writer = change.layer === 'kubernetes' ? writerOf?.(change.field) : undefined;
      this.#add({ ...this.#next(at), kind: 'change', ...change, ...(writer === undefined ? {} : { writer }) });
    }
  }

  /** Records that something was told as having happened. */
  event({ layer, field, source, message, warning }: RecordedEvent, at: Date): void {
    if (isMeasuringEvent(field)) return;
    const words = {
      layer,
      field: printable(field),
      source,
      message: shortText(message),
      ...(warning ? { warning } : {}),
    };
    this.#add({ ...this.#next(at), kind: 'event', ...words });
  }

  /** Oldest first. */
  entries(): TimelineEntry[] {
    return this.#ring.entries();
  }

  get dropped(): number {
    return this.#ring.dropped;
  }

  /** Lines for what has come or was renewed since the last call, to be added to those that are written down. */
  takeLines(): string[] {
    const entries = [...this.#unwritten].sort((a, b) => a - b).flatMap((seq) => this.#ring.get(seq) ?? []);
    this.#unwritten.clear();
    return entries.map((entry) => JSON.stringify(entry));
  }

  get isWritten(): boolean {
    return this.#unwritten.size === 0;
  }

  /** All that there is as lines, in place of any that were written down before. */
  allLines(): string[] {
    this.#unwritten.clear();
    const known = Object.fromEntries(this.#known);
    const head = { format: FORMAT, ...this.head, dropped: this.dropped };
    // Last: it is newer than what the entries tell of it.
    return [head, ...this.entries(), { known }].map((line) => JSON.stringify(line));
  }

  #next(at: Date): { seq: number; time: string } {
    return { seq: this.#ring.last + 1, time: at.toISOString() };
  }

  #add(entry: ChangeEntry | EventEntry): void {
    const kept = this.#flaps.take(
      entry,
      (seq) => this.#ring.get(seq),
      () => this.#ring.entries(),
    );
    this.#ring.put(kept);
    this.#unwritten.add(kept.seq);
  }

  /**
   * The record that these lines tell of; undefined when their head cannot be read. A line that was not written to its end
   * is left out.
   */
  static read(lines: readonly string[], limits: RingLimits = RING_LIMITS): RunRecord | undefined {
    const [first = '', ...rest] = lines;
    const head = readHead(first);
    if (head === undefined) return undefined;
    const record = new RunRecord(head, limits);
    record.#ring.skip((parsed(first) as HeadLine).dropped);
    for (const line of rest.map(parsed)) {
      if (isEntry(line)) record.#reread(line);
      else if (isKnown(line)) {
        record.#known.clear();
        for (const [path, value] of Object.entries(line.known)) record.#known.set(path, value);
      }
    }
    return record;
  }

  /** The record that these lines tell of, gone on with what is in this one; undefined when their head cannot be read. */
  after(lines: readonly string[], limits: RingLimits = RING_LIMITS): RunRecord | undefined {
    const earlier = RunRecord.read(lines, limits);
    if (earlier === undefined) return undefined;
    const { last } = earlier.#ring;
    for (const entry of this.entries()) earlier.#reread({ ...entry, seq: last + entry.seq });
    for (const [path, value] of this.#known) earlier.#known.set(path, value);
    return earlier;
  }

  #reread(entry: TimelineEntry): void {
    this.#ring.put(entry);
    if (entry.kind === 'change') takeEntry(this.#known, entry);
    else if (entry.kind === 'flap' && entry.of === 'change') {
      const path = pathOf(entry);
      const freshness = entry.freshness ?? this.#known.get(path)?.freshness ?? 'live';
      this.#known.set(path, { value: entry.new, freshness, source: entry.source });
    }
  }
}

interface HeadLine extends RunHead {
  format: number;
  dropped: number;
}

/** Of which run a record tells, by its first line; undefined when that cannot be read. */
export function readHead(line: string): RunHead | undefined {
  const head = parsed(line) as Partial<HeadLine> | null | undefined;
  if (head?.format !== FORMAT) return undefined;
  const { namespace, name, uid, node, startedAt } = head as HeadLine;
  return { namespace, name, uid, node, startedAt };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isKnown(line: unknown): line is { known: Record<string, Known> } {
  const { known } = (line ?? {}) as { known?: unknown };
  return typeof known === 'object' && known !== null;
}

function isEntry(line: unknown): line is TimelineEntry {
  const { seq, time, kind } = (line ?? {}) as Partial<TimelineEntry> & { kind?: JsonValue };
  return typeof seq === 'number' && typeof time === 'string' && ['change', 'event', 'flap'].includes(String(kind));
}
