import { constants } from 'node:os';
import { createLogger, type Logger } from './logger.ts';

/** What a program gets from its surroundings. */
export interface MainContext {
  log: Logger;
  /** Aborted by the first SIGTERM or SIGINT: stop taking work, finish what cannot be left, return. */
  signal: AbortSignal;
}

/**
 * Runs a service until `main` returns. A second signal ends it at once; an error that nobody handled is logged and ends
 * it with 1: after it, what the process believes of the world cannot be trusted.
 */
export async function runMain(component: string, main: (context: MainContext) => Promise<void>): Promise<never> {
  const log = createLogger(component);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
      log.info({ signal: name }, 'stopping');
      stop.abort();
    });
  }
  const fatal = (err: unknown): never => {
    log.fatal({ err }, 'unhandled error');
    process.exit(1);
  };
  process.on('unhandledRejection', fatal);
  process.on('uncaughtException', fatal);
  try {
    await main({ log, signal: stop.signal });
  } catch (err) {
    if (!stop.signal.aborted) fatal(err);
    log.warn({ err }, 'error while stopping');
  }
  process.exit(0);
}
