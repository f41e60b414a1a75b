import type { KubeObject, Resource } from './objects.ts';
import { type ListWatcher, Reflector, type ReflectorOptions } from './reflector.ts';
import { type Change, type Indexer, Store } from './store.ts';

/** Called after the store has changed. Must be quick and must not throw: enqueue a key and leave. */
export type ChangeHandler<T> = (change: Change<T>) => void;

export interface InformerOptions<T> extends ReflectorOptions {
  indexers?: Readonly<Record<string, Indexer<T>>>;
  /** Trims an object before it is stored, e.g. drops managedFields (which is the default). */
  transform?: (object: T) => T;
}

/** A store kept current by a reflector, with change handlers. */
export class Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly store: Store<T>;
  readonly #handlers: ChangeHandler<T>[] = [];
  readonly #reflector: Reflector<T>;
  readonly #transform: (object: T) => T;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;

  constructor(source: ListWatcher, resource: Resource<T>, options: InformerOptions<T> = {}) {
    const { indexers, transform = withoutManagedFields, ...reflection } = options;
    this.resource = resource;
    this.store = new Store(indexers);
    this.#onError = options.onError;
    this.#transform = transform;
    this.#reflector = new Reflector(
      source,
      resource,
      {
        replace: (objects, version) => {
          const changes = this.store.replace(objects.map(transform), version);
          this.#hasSynced = true;
          this.#synced.resolve();
          this.#emit(changes);
        },
        upsert: (object) => this.#emit(this.store.upsert(transform(object))),
        remove: (object) => this.#emit(this.store.remove(object)),
      },
      reflection,
    );
  }

  /** True once the first full list is in the store. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** When the server last confirmed what is in the store, in milliseconds since the epoch; a live watch does about every minute. */
  get lastContact(): number | undefined {
    return this.#reflector.lastContact;
  }

  /** Add handlers before `run`, or they miss the first list. */
  onChange(handler: ChangeHandler<T>): void {
    this.#handlers.push(handler);
  }

  /** Puts the answer to a write of ours into the store, so that the next reconcile sees it before the watch brings it. */
  observe(object: T): void {
    this.#emit(this.store.upsert(this.#transform(object)));
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /** Resolves after the first full list; rejects when the signal aborts first. */
  async synced(signal: AbortSignal): Promise<void> {
    if (this.#hasSynced) return;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(new Error(`stopped before ${this.resource.plural} were listed`));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#synced.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #emit(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      for (const handler of this.#handlers) {
        try {
          handler(change);
        } catch (error) {
          this.#onError?.(error);
        }
      }
    }
  }
}

export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata || !('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata as Record<string, unknown>;
  return { ...object, metadata };
}
