/** What a watcher gets: the newest value, and the events that it has not seen. */
export interface Update<T, E> {
  value: T;
  event: E | undefined;
}

/** Events that may wait for a watcher that does not read; older ones are dropped, the newest value never is. */
const BACKLOG = 64;

/**
 * Spreads one changing value to many readers. A slow reader holds nobody up: its backlog is bounded, and it always ends
 * with the newest value.
 */
export class WatchHub<T, E> {
  readonly #watchers = new Set<Watcher<T, E>>();

  get watchers(): number {
    return this.#watchers.size;
  }

  publish(value: T, event?: E): void {
    for (const watcher of this.#watchers) watcher.push({ value, event });
  }

  /** Yields `first` at once, then every update, until the signal is aborted. */
  async *watch(first: () => T, signal: AbortSignal): AsyncGenerator<Update<T, E>> {
    const watcher = new Watcher<T, E>();
    this.#watchers.add(watcher);
    const wake = () => watcher.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      yield { value: first(), event: undefined };
      while (!signal.aborted) {
        const update = watcher.shift();
        if (update === undefined) await watcher.wait(signal);
        else yield update;
      }
    } finally {
      this.#watchers.delete(watcher);
      signal.removeEventListener('abort', wake);
    }
  }
}

class Watcher<T, E> {
  #queue: Update<T, E>[] = [];
  #wake: (() => void) | undefined;

  push(update: Update<T, E>): void {
    const last = this.#queue.at(-1);
    // Without an event of its own, a waiting update is worth no more than the one behind it.
    if (last !== undefined && last.event === undefined) this.#queue.pop();
    this.#queue.push(update);
    if (this.#queue.length > BACKLOG) this.#queue.shift();
    this.wake();
  }

  shift(): Update<T, E> | undefined {
    return this.#queue.shift();
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#queue.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
