import type { TimelineEntry } from './types.ts';

export interface RingLimits {
  entries: number;
  bytes: number;
}

/** Counted for an entry that grows while it stands: what is dropped must not depend on how often it was renewed. */
const FLAP_BYTES = 1024;

/** The newest entries in order of their numbers; the oldest give way. */
export class Ring {
  readonly #limits: RingLimits;
  readonly #entries = new Map<number, TimelineEntry>();
  #bytes = 0;
  #last = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** The highest number there was. */
  get last(): number {
    return this.#last;
  }

  /** What the entries take as they are written down. */
  get bytes(): number {
    return this.#bytes;
  }

  get(seq: number): TimelineEntry | undefined {
    return this.#entries.get(seq);
  }

  /** Oldest first. */
  entries(): TimelineEntry[] {
    return [...this.#entries.values()];
  }

  /** Entries that came before the oldest that is kept. */
  get dropped(): number {
    return this.#last - this.#entries.size;
  }

  /** So many entries came before the first that is put. */
  skip(count: number): void {
    this.#last = Math.max(this.#last, count);
  }

  /** Adds an entry with a number above all others, or renews the one with its number; an older one that is gone stays gone. */
  put(entry: TimelineEntry): void {
    const before = this.#entries.get(entry.seq);
    if (before === undefined && entry.seq <= this.#last) return;
    this.#entries.set(entry.seq, entry);
    this.#bytes += sizeOf(entry) - (before === undefined ? 0 : sizeOf(before));
    this.#last = Math.max(this.#last, entry.seq);
    for (const [seq, oldest] of this.#entries) {
      const fits = this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes;
      if (fits || this.#entries.size === 1) break;
      this.#entries.delete(seq);
      this.#bytes -= sizeOf(oldest);
    }
  }
}

function sizeOf(entry: TimelineEntry): number {
  return entry.kind === 'flap' ? FLAP_BYTES : Buffer.byteLength(JSON.stringify(entry)) + 1;
}
