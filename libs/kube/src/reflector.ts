import type { ListQuery, WatchEvent, WatchQuery } from './calls.ts';
import { type Clock, delay, systemClock } from './clock.ts';
import { isExpired, KubeError } from './errors.ts';
import { linkedAbort } from './linked-abort.ts';
import type { KubeList, KubeObject, Resource } from './objects.ts';

/** What a reflector needs of a client. */
export interface ListWatcher {
  list<T extends KubeObject>(resource: Resource<T>, query: ListQuery, signal?: AbortSignal): Promise<KubeList<T>>;
  watch<T extends KubeObject>(
    resource: Resource<T>,
    query: WatchQuery,
    signal?: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
}

export interface ReflectorSink<T> {
  /** The full content at one moment. */
  replace(objects: T[], version: string | undefined): void;
  upsert(object: T): void;
  remove(object: T): void;
}

export interface Selection {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ReflectorOptions extends Selection {
  pageSize?: number;
  /** Seconds one watch request lives, chosen at random between the two. */
  watchSeconds?: readonly [number, number];
  /** A watch without event or bookmark for so long is taken for a dead connection. The server sends a bookmark about every minute. */
  silenceMs?: number;
  backoff?: { initialMs: number; maxMs: number; resetMs: number };
  clock?: Clock;
  random?: () => number;
  onError?: (error: unknown) => void;
}

const BACKOFF = { initialMs: 800, maxMs: 30_000, resetMs: 120_000 };

/** Keeps a sink equal to a collection of the API server: list, then watch, for as long as the signal lives. Never gives up, never throws. */
export class Reflector<T extends KubeObject> {
  readonly #source: ListWatcher;
  readonly #resource: Resource<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  #version: string | undefined;
  #failures = 0;
  #healthySince: number;
  #lastContact: number | undefined;

  constructor(source: ListWatcher, resource: Resource<T>, sink: ReflectorSink<T>, options: ReflectorOptions = {}) {
    this.#source = source;
    this.#resource = resource;
    this.#sink = sink;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#healthySince = this.#clock.monotonic();
  }

  /** When the server last confirmed what the sink holds, by a list, an event or a bookmark; milliseconds since the epoch. */
  get lastContact(): number | undefined {
    return this.#lastContact;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list(signal);
        else await this.#watch(this.#version, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) this.#version = undefined;
        else {
          this.#options.onError?.(error);
          await delay(this.#clock, this.#nextDelay(error), signal);
        }
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const items: T[] = [];
    let next: string | undefined;
    let version: string | undefined;
    do {
      const page: KubeList<T> = await this.#source.list(
        this.#resource,
        {
          ...selectionOf(this.#options),
          limit: this.#options.pageSize ?? 500,
          ...(next ? { continue: next } : {}),
        },
        signal,
      );
      items.push(...page.items);
      next = page.metadata.continue || undefined;
      version = page.metadata.resourceVersion;
    } while (next);
    this.#sink.replace(items, version);
    this.#lastContact = this.#clock.now();
    this.#version = version ?? '0';
  }

  async #watch(version: string, signal: AbortSignal): Promise<void> {
    const [least, most] = this.#options.watchSeconds ?? [300, 600];
    const silenceMs = this.#options.silenceMs ?? 150_000;
    const timeoutSeconds = Math.round(least + this.#random() * (most - least));
    const attempt = linkedAbort(signal);
    let cancel = this.#clock.after(silenceMs, () => attempt.abort());
    this.#healthySince = this.#clock.monotonic();
    try {
      const query = {
        ...selectionOf(this.#options),
        resourceVersion: version,
        timeoutSeconds,
        allowWatchBookmarks: true,
      };
      for await (const event of this.#source.watch(this.#resource, query, attempt.signal)) {
        cancel();
        cancel = this.#clock.after(silenceMs, () => attempt.abort());
        this.#lastContact = this.#clock.now();
        this.#apply(event);
      }
    } catch (error) {
      // Silence is no failure to report: the next watch goes on where this one stopped.
      if (!attempt.signal.aborted || signal.aborted) throw error;
    } finally {
      cancel();
      attempt.release();
    }
    await this.#guardAgainstSpinning(signal);
  }

  #apply(event: WatchEvent<T>): void {
    if (event.type === 'DELETED') this.#sink.remove(event.object);
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#sink.upsert(event.object);
    this.#version = event.object.metadata?.resourceVersion ?? this.#version;
  }

  /** A server that closes each watch at once must not be asked in a tight loop. */
  async #guardAgainstSpinning(signal: AbortSignal): Promise<void> {
    if (this.#clock.monotonic() - this.#healthySince < 1000)
      await delay(this.#clock, this.#nextDelay(undefined), signal);
    else this.#failures = 0;
  }

  #nextDelay(error: unknown): number {
    const { initialMs, maxMs, resetMs } = { ...BACKOFF, ...this.#options.backoff };
    if (this.#clock.monotonic() - this.#healthySince > resetMs) this.#failures = 0;
    const base = Math.min(maxMs, initialMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    const wanted = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(wanted, base * (0.5 + this.#random() / 2));
  }
}

function selectionOf(selection: Selection): Selection {
  const { namespace, labelSelector, fieldSelector } = selection;
  return {
    ...(namespace ? { namespace } : {}),
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  };
}
