import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Between two looks; 200 ms unless given. */
  readonly everyMs?: number | undefined;
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks again and again until `look` answers something other than undefined or false.
 *
 * A look that throws has not been answered yet, and what it threw last is told when the time is over. A mistake in the look
 * itself (a ReferenceError, or a TypeError that is nobody else's message) is thrown at once: no time mends it.
 * @param what is waited for, and where to look when it does not come: said in the error
 * @throws Error after `timeoutMs`, with the last look's error as its cause
 */
export async function eventually<T>(
  what: string,
  timeoutMs: number,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { everyMs = 200, signal }: EventuallyOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    let last: unknown;
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
    } catch (error) {
      signal?.throwIfAborted();
      if (isMistake(error)) throw error;
      last = error;
    }
    if (performance.now() > deadline) {
      const why = last === undefined ? '' : `: ${last instanceof Error ? last.message : String(last)}`;
      throw new Error(`not within ${timeoutMs / 1000} s: ${what}${why}`, { cause: last });
    }
    await delay(everyMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** By name: a test's errors come from another realm. `fetch` fails with a TypeError that has a cause. */
function isMistake(error: unknown): boolean {
  const { name, cause } = error as { name?: unknown; cause?: unknown };
  return name === 'ReferenceError' || (name === 'TypeError' && cause === undefined);
}
