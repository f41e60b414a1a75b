type Outcome<T> = { value: T } | { error: unknown };

/**
 * Work that may take longer than a worker should wait for it, as a call to a launcher that hangs does: one at a time of a kind.
 * Whoever looks again finds it still running, or how it ended.
 */
export class InFlight {
  readonly #running = new Map<string, { about: string; outcome: Outcome<unknown> | undefined }>();

  /**
   * Begins `work`, unless work of its kind has begun before, and waits for it for so long; what has begun before is not waited
   * for. Answers whether it has ended, once; rejects with its error.
   * @param about what the work is to bring about: how work of its kind ended that was about something else is of no interest
   */
  async ended(kind: string, patienceMs: number, work: () => Promise<void>, about = ''): Promise<boolean> {
    let entry = this.#running.get(kind);
    if (entry === undefined || (entry.outcome !== undefined && entry.about !== about)) {
      entry = { about, outcome: undefined };
      this.#running.set(kind, entry);
      await within(patienceMs, this.#follow(entry, work));
    }
    const { outcome } = entry;
    if (outcome === undefined) return false;
    this.#running.delete(kind);
    if ('error' in outcome) throw outcome.error;
    return true;
  }

  /** How work of this kind ended is of no interest any more. */
  forget(kind: string): void {
    if (!this.isRunning(kind)) this.#running.delete(kind);
  }

  /** Whether work of this kind has begun and not ended. */
  isRunning(kind: string): boolean {
    const entry = this.#running.get(kind);
    return entry !== undefined && entry.outcome === undefined;
  }

  async #follow(entry: { outcome: Outcome<unknown> | undefined }, work: () => Promise<void>): Promise<void> {
    try {
      entry.outcome = { value: await work() };
    } catch (error) {
      entry.outcome = { error };
    }
  }
}

/** Waits for something that never rejects, or until the time is over. */
async function within(milliseconds: number, something: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void something.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
