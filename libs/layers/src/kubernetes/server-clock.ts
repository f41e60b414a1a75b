/** The API server's Date header has whole seconds, and the answer took some time. */
const TOLERANCE_MS = 2_000;

/** What time it is for the API server, by the Date headers of its answers, whatever our own clock says. */
export class ServerClock {
  readonly #own: () => Date;
  #aheadMs = 0;

  constructor(own: () => Date) {
    this.#own = own;
  }

  /** An answer has just come. @param date its Date header */
  heard(date: Date | undefined): void {
    if (date === undefined || Number.isNaN(date.getTime())) return;
    const ahead = this.#own().getTime() - date.getTime();
    // Two clocks that agree as far as can be told: ours is the finer.
    this.#aheadMs = Math.abs(ahead) <= TOLERANCE_MS ? 0 : ahead;
  }

  /** Our own time before anything was heard. */
  now(): Date {
    return new Date(this.#own().getTime() - this.aheadMs);
  }

  /** By how much our own clock is ahead of the API server's; 0 where they agree, or nothing is known. */
  get aheadMs(): number {
    return this.#aheadMs;
  }
}
