import { systemClock } from './clock.ts';
import { ConnectionError, isConflict, KubeError } from './errors.ts';
import { linkedAbort } from './linked-abort.ts';
import { type Logger, silentLogger } from './logger.ts';
import { formatKey, type ObjectName, parseKey } from './objects.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

export interface ReconcileContext {
  readonly log: Logger;
  /** Aborts at shutdown, at loss of leadership and when the run takes too long. */
  readonly signal: AbortSignal;
  /** How often this object failed in a row before this run. */
  readonly failures: number;
}
export interface ReconcileResult {
  requeueAfterMs?: number;
}
/** Level-based: learns only which object to look at, re-reads everything, may be run again at any time. */
export type Reconcile = (request: ObjectName, context: ReconcileContext) => Promise<ReconcileResult | void>;

/** Retrying cannot help; only a change of the object can. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export type ReconcileOutcome = 'success' | 'requeue_after' | 'conflict' | 'error' | 'terminal';

export interface ControllerOptions extends WorkQueueOptions {
  name: string;
  reconcile: Reconcile;
  /** Objects worked on at once; default 1. */
  concurrency?: number;
  /** A run longer than this is aborted; default 60 s. */
  timeoutMs?: number;
  log?: Logger;
  onOutcome?: (controller: string, outcome: ReconcileOutcome, seconds: number) => void;
}

const CONFLICT_RETRY_MS = 50;

/** A queue of objects and the workers that reconcile them. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #log: Logger;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.queue = new WorkQueue(options);
    this.#options = options;
    this.#log = options.log ?? silentLogger;
  }

  enqueue(request: ObjectName): void {
    this.queue.add(formatKey(request));
  }

  enqueueAfter(request: ObjectName, ms: number): void {
    this.queue.addAfter(formatKey(request), ms);
  }

  /** Works until the signal aborts; returns when the last run in flight has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.queue.shutDown();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 1 }, () => this.#work(signal)));
    signal.removeEventListener('abort', stop);
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      try {
        await this.#process(key, signal);
      } finally {
        this.queue.done(key);
      }
    }
  }

  async #process(key: string, signal: AbortSignal): Promise<void> {
    const clock = this.#options.clock ?? systemClock;
    const started = clock.monotonic();
    const attempt = linkedAbort(signal);
    const cancel = clock.after(this.#options.timeoutMs ?? 60_000, () =>
      attempt.abort(new Error(`reconcile of ${key} took too long`)),
    );
    let outcome: ReconcileOutcome = 'success';
    try {
      const context = {
        log: this.#log,
        signal: attempt.signal,
        failures: this.queue.failures(key),
      };
      const result = await this.#options.reconcile(parseKey(key), context);
      this.queue.forget(key);
      if (result?.requeueAfterMs !== undefined) {
        outcome = 'requeue_after';
        this.queue.addAfter(key, result.requeueAfterMs);
      }
    } catch (error) {
      if (!signal.aborted) outcome = this.#failed(key, error);
    } finally {
      cancel();
      attempt.release();
      this.#options.onOutcome?.(this.name, outcome, (clock.monotonic() - started) / 1000);
    }
  }

  #failed(key: string, error: unknown): ReconcileOutcome {
    // Where an answer of the API server was met says nothing; what it says does.
    const cause =
      error instanceof KubeError || error instanceof ConnectionError ? { error: error.message } : { err: error };
    const fields = { controller: this.name, object: key, failures: this.queue.failures(key), ...cause };
    if (error instanceof TerminalError) {
      this.queue.forget(key);
      this.#log.error(fields, 'reconcile failed and is not retried');
      return 'terminal';
    }
    if (isConflict(error)) {
      // Our view was old; the watch will bring the newer one.
      this.#log.debug(fields, 'reconcile met a newer object');
      this.queue.addAfter(key, CONFLICT_RETRY_MS);
      return 'conflict';
    }
    const wanted = error instanceof KubeError ? error.retryAfterMs : undefined;
    this.#log.warn(fields, 'reconcile failed and is retried');
    if (wanted) this.queue.addAfter(key, wanted);
    else this.queue.addRateLimited(key);
    return 'error';
  }
}
