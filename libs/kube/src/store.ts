import { isOlderVersion, type KubeObject, keyOf } from './objects.ts';

export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'updated'; object: T; old: T }
  | { type: 'deleted'; object: T };

/** Answers the index values of an object: none, one or several. */
export type Indexer<T> = (object: T) => readonly string[];

const MAX_BURIED = 2048;

/** The last known objects of one kind by `namespace/name`. Getters hand out the stored objects: read only. */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexers: Readonly<Record<string, Indexer<T>>>;
  readonly #indexes = new Map<string, Map<string, Map<string, T>>>();
  /** Versions at which objects went away, by uid: the late answer to a write must not bring them back. */
  readonly #buried = new Map<string, string>();

  constructor(indexers: Readonly<Record<string, Indexer<T>>> = {}) {
    this.#indexers = indexers;
    for (const name of Object.keys(indexers)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`no index named ${name}`);
    return [...(index.get(value)?.values() ?? [])];
  }

  /** Takes an object from a watch, or from the answer to a write of our own; an older version of the same object changes nothing. */
  upsert(object: T): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (this.#isBuried(object)) return [];
    if (!old) {
      this.#set(key, object);
      return [{ type: 'added', object }];
    }
    if (old.metadata?.uid !== object.metadata?.uid) {
      this.#set(key, object);
      return [
        { type: 'deleted', object: old },
        { type: 'added', object },
      ];
    }
    const oldVersion = old.metadata?.resourceVersion;
    const version = object.metadata?.resourceVersion;
    if (isOlderVersion(version, oldVersion) || (version !== undefined && version === oldVersion)) return [];
    this.#set(key, object);
    return [{ type: 'updated', object, old }];
  }

  /** Forgets the object, unless the store meanwhile holds another one of that name. */
  remove(object: KubeObject): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (!old || (object.metadata?.uid && old.metadata?.uid !== object.metadata.uid)) return [];
    this.#unset(key, old);
    this.#bury(old, object.metadata?.resourceVersion);
    return [{ type: 'deleted', object: old }];
  }

  /** Makes the store equal to a full list; a name reused by another uid is a deletion and an addition. */
  replace(objects: readonly T[], version?: string): Change<T>[] {
    const changes: Change<T>[] = [];
    const fresh = new Map(objects.map((object) => [keyOf(object), object]));
    for (const [key, old] of [...this.#objects]) {
      if (fresh.has(key)) continue;
      this.#unset(key, old);
      this.#bury(old, version);
      changes.push({ type: 'deleted', object: old });
    }
    for (const object of fresh.values()) changes.push(...this.upsert(object));
    return changes;
  }

  #bury(object: T, version: string | undefined): void {
    const uid = object.metadata?.uid;
    const at = version ?? object.metadata?.resourceVersion;
    if (!uid || !at) return;
    this.#buried.delete(uid);
    this.#buried.set(uid, at);
    const oldest = this.#buried.keys().next().value;
    if (this.#buried.size > MAX_BURIED && oldest !== undefined) this.#buried.delete(oldest);
  }

  #isBuried(object: T): boolean {
    const at = this.#buried.get(object.metadata?.uid ?? '');
    const version = object.metadata?.resourceVersion;
    return at !== undefined && (version === at || isOlderVersion(version, at));
  }

  #set(key: string, object: T): void {
    const old = this.#objects.get(key);
    if (old) this.#unset(key, old);
    this.#objects.set(key, object);
    for (const [name, indexer] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name) as Map<string, Map<string, T>>;
      for (const value of indexer(object)) {
        const bucket = index.get(value) ?? new Map<string, T>();
        bucket.set(key, object);
        index.set(value, bucket);
      }
    }
  }

  #unset(key: string, old: T): void {
    this.#objects.delete(key);
    for (const [name, indexer] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name) as Map<string, Map<string, T>>;
      for (const value of indexer(old)) {
        const bucket = index.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) index.delete(value);
      }
    }
  }
}
