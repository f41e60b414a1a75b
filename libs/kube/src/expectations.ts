import { type Clock, systemClock } from './clock.ts';

const EXPIRY_MS = 5 * 60_000;

/** Writes of ours that the cache has not shown yet. Until they are seen (or five minutes passed) what the cache counts cannot be trusted. */
export class Expectations {
  readonly #clock: Clock;
  readonly #pending = new Map<string, { names: Set<string>; since: number }>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Call before the write; `token` names what the cache will show, e.g. `create/<pod name>` or `delete/<uid>`. */
  expect(key: string, ...tokens: string[]): void {
    const entry = this.#pending.get(key) ?? { names: new Set<string>(), since: 0 };
    for (const token of tokens) entry.names.add(token);
    entry.since = this.#clock.monotonic();
    this.#pending.set(key, entry);
  }

  /** The cache has shown it, or the write failed. */
  observed(key: string, token: string): void {
    const entry = this.#pending.get(key);
    if (entry?.names.delete(token) && entry.names.size === 0) this.#pending.delete(key);
  }

  satisfied(key: string): boolean {
    const entry = this.#pending.get(key);
    if (!entry) return true;
    if (this.#clock.monotonic() - entry.since < EXPIRY_MS) return false;
    this.#pending.delete(key);
    return true;
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }
}
