import { type Clock, systemClock } from './clock.ts';

export interface BackoffOptions {
  /** First retry delay; default 100 ms. */
  initialMs?: number;
  /** Default 60 s. */
  maxMs?: number;
}

export interface WorkQueueOptions {
  clock?: Clock;
  backoff?: BackoffOptions;
}

/** Keys to work on. A key is handed to one worker at a time, waits once however often it is added, and an addition while it is worked on brings it back afterwards. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #ready: string[] = [];
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #waiting = new Map<string, { due: number; cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #stopped = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#initialMs = options.backoff?.initialMs ?? 100;
    this.#maxMs = options.backoff?.maxMs ?? 60_000;
  }

  /** Keys ready to be taken. */
  get depth(): number {
    return this.#ready.length;
  }

  get processing(): number {
    return this.#processing.size;
  }

  add(key: string): void {
    if (this.#stopped || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#offer(key);
  }

  /** Adds the key once the time has passed; of several delays of one key the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#stopped) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const due = this.#clock.monotonic() + ms;
    const earlier = this.#waiting.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#waiting.delete(key);
      this.add(key);
    });
    this.#waiting.set(key, { due, cancel });
  }

  /** Adds the key after its exponential back-off. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.min(this.#maxMs, this.#initialMs * 2 ** Math.min(failures, 30)));
  }

  /** Ends the back-off of a key: its next failure starts anew. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, to be given back by `done`; undefined once the queue is shut down. */
  take(): Promise<string | undefined> {
    const key = this.#stopped ? undefined : this.#ready.shift();
    if (key !== undefined) return Promise.resolve(this.#start(key));
    if (this.#stopped) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#offer(key);
  }

  shutDown(): void {
    this.#stopped = true;
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#ready.length = 0;
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #offer(key: string): void {
    if (this.#stopped) return;
    const taker = this.#takers.shift();
    if (taker) taker(this.#start(key));
    else this.#ready.push(key);
  }

  #start(key: string): string {
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }
}
