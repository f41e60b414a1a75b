import { type Change, Informer, type KubeObject, type ListWatcher, type Resource } from '@yagura/kube';

export interface WatchedObjectOptions {
  namespace: string;
  name: string;
  onError?: (error: unknown) => void;
}

/** One object kept current by a watch of its own; needs no right but to read that one name. */
export class WatchedObject<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #key: string;
  #last: T | undefined;

  constructor(client: ListWatcher, resource: Resource<T>, { namespace, name, onError }: WatchedObjectOptions) {
    this.#key = `${namespace}/${name}`;
    this.#informer = new Informer<T>(client, resource, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      ...(onError ? { onError } : {}),
    });
    this.#informer.onChange(({ object }) => {
      this.#last = object;
    });
  }

  /** Undefined while it does not exist, or is not known yet. */
  get current(): T | undefined {
    return this.#informer.store.get(this.#key);
  }

  /** As it was last seen, even if it has been deleted since: a certificate is good until there is another. */
  get last(): T | undefined {
    return this.#last;
  }

  /** Told each change; a deletion too, after which `current` is undefined. */
  onChange(handler: (change: Change<T>) => void): void {
    this.#informer.onChange(handler);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** Resolves once the object is known to be there or not to be there. */
  synced(signal: AbortSignal): Promise<void> {
    return this.#informer.synced(signal);
  }
}
