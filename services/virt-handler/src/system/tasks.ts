import { type Logger, sleep } from '@yagura/runtime';

/** What a program does all at once, by name. */
export class Tasks {
  readonly #running = new Map<string, Promise<unknown>>();

  add(name: string, work: Promise<unknown>): void {
    const running = work.then(() => this.#running.delete(name));
    this.#running.set(name, running);
    // A failure stays, for `ended` to tell, which may be called only later.
    running.catch(() => {});
  }

  /**
   * Resolves when all have ended, or `patienceMs` after the signal, naming in the log what has not: whatever it is, it is
   * not worth being killed for in the midst of something else. Rejects with the first that fails.
   */
  async ended(signal: AbortSignal, patienceMs: number, log: Logger): Promise<void> {
    const over = new AbortController();
    const late = async (): Promise<void> => {
      const stopped = AbortSignal.any([signal, over.signal]);
      await new Promise<void>((resolve) => {
        if (stopped.aborted) resolve();
        stopped.addEventListener('abort', () => resolve(), { once: true });
      });
      await sleep(patienceMs, over.signal);
      if (!over.signal.aborted) log.warn({ running: [...this.#running.keys()] }, 'not stopped in time, left as it is');
    };
    try {
      await Promise.race([Promise.all(this.#running.values()), late()]);
    } finally {
      over.abort();
    }
  }
}
