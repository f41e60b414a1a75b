import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again and again until `look` returns something other than undefined or false.
 * After `timeoutMs` it fails with what was waited for and what the last look said.
 */
export async function eventually<T>(
  what: string,
  timeoutMs: number,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      last = seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const why = last instanceof Error ? `: ${last.message}` : '';
      throw new Error(`not within ${timeoutMs / 1000} s: ${what}${why}`);
    }
    await delay(200);
  }
}
