import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext } from './context.ts';

export const WATCH_SECONDS = 2;

/**
 * Prints what `look` gives; when watching, again and again until interrupted, on a screen of its own at a terminal.
 * @param onError told of a later look that fails, after which the watch goes on; without it the watch ends with the error
 */
export async function printed(
  context: CliContext,
  watch: boolean | undefined,
  look: () => Promise<string>,
  onError?: (error: unknown) => void,
): Promise<void> {
  const show = async () => {
    const text = await look();
    context.out(watch && context.interactive ? `\x1b[H\x1b[2J${text}` : text);
  };
  await show();
  while (watch && !context.signal.aborted) {
    await delay(WATCH_SECONDS * 1000, undefined, { signal: context.signal }).catch(() => {});
    if (!context.signal.aborted) await (onError ? show().catch(onError) : show());
  }
}
