/**
 * A wait that can be cut short, again and again, for one loop. One listener on the long-lived signal serves all waits:
 * signals derived from it for each wait would pile up.
 */
export class Pause {
  readonly #signal: AbortSignal;
  #end: (() => void) | undefined;
  #woken = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** Ends the wait under way; without one, the next ends at once. */
  wake(): void {
    if (this.#end === undefined) this.#woken = true;
    else this.#end();
  }

  /** Resolves after `milliseconds`, when woken, or when the signal aborts. Without a time it waits to be woken. */
  async wait(milliseconds?: number): Promise<void> {
    if (this.#woken || this.#signal.aborted) {
      this.#woken = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(() => this.#end?.(), milliseconds);
      this.#end = () => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve();
      };
    });
  }
}
