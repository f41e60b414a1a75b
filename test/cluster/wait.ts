import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** What is waited for, and where to look when it does not come: said in the error. */
  readonly what: string;
}

/** Asks until the answer is neither undefined nor false. A question that throws has not been answered yet. */
export async function waitFor<T>(
  question: () => Promise<T | undefined | false>,
  options: WaitOptions,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
  let last: unknown;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const answer = await question();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const why = last instanceof Error ? `: ${last.message}` : '';
      throw new Error(`no ${options.what} after ${options.timeoutMs / 1000} s${why}`);
    }
    await sleep(options.everyMs ?? 100, undefined, { signal });
  }
}
