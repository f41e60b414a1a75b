import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `milliseconds`, or at once when the signal is aborted. Never rejects. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await delay(milliseconds, undefined, signal ? { signal } : {}).catch(() => {});
}

/** Resolves once the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
