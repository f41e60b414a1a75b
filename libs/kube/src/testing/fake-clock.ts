import type { Clock } from '../clock.ts';

/** Time that moves only when told to. */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Map<number, { due: number; callback: () => void }>();

  constructor(epochMs = Date.UTC(2026, 0, 1)) {
    this.#now = epochMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const id = this.#order++;
    this.#timers.set(id, { due: this.#now + Math.max(0, ms), callback });
    return () => this.#timers.delete(id);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Moves on, running timers in their order; promises settle between them. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      const [id, timer] = next;
      this.#timers.delete(id);
      this.#now = Math.max(this.#now, timer.due);
      timer.callback();
      await settle();
    }
    this.#now = end;
  }

  #next(end: number): [number, { due: number; callback: () => void }] | undefined {
    return [...this.#timers]
      .filter(([, timer]) => timer.due <= end)
      .sort((a, b) => a[1].due - b[1].due || a[0] - b[0])[0];
  }
}

/** Lets all promise callbacks run that can. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
