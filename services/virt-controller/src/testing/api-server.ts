import type { Condition, Pod } from '@yagura/api';
import {
  type KubeClient,
  KubeError,
  type KubeList,
  type KubeObject,
  type ObjectName,
  type Patch,
  type Resource,
} from '@yagura/kube';
import { applyJsonPatch } from './json-patch.ts';

/** What is to go wrong with one request: it never arrives, or its answer gets lost. */
export type Fault = 'request lost' | 'answer lost';

/** Objects with versions, conflicts, finalizers and graceful deletion of pods: as much of an API server as the controllers' logic meets. Unit tests only. */
export class ApiServer {
  readonly objects = new Map<string, KubeObject>();
  readonly calls: string[] = [];
  #version = 100;
  #uid = 0;
  #faultAt = -1;
  #fault: Fault = 'request lost';

  /** Lets the n-th request from now on fail. */
  failCall(n: number, fault: Fault): void {
    this.#faultAt = this.calls.length + n;
    this.#fault = fault;
  }

  all<T>(plural: string): T[] {
    return [...this.objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object as T);
  }

  /** A change by somebody else, past all faults. */
  put(plural: string, object: KubeObject): KubeObject {
    const key = keyIn(plural, object.metadata ?? {});
    const before = this.objects.get(key);
    const uid = before?.metadata?.uid ?? object.metadata?.uid ?? `uid-${++this.#uid}`;
    const stored = {
      ...object,
      metadata: {
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...object.metadata,
        uid,
        resourceVersion: String(++this.#version),
      },
    };
    this.objects.set(key, stored);
    if (stored.metadata.deletionTimestamp && !stored.metadata.finalizers?.length && plural !== 'pods')
      this.objects.delete(key);
    return stored;
  }

  remove(plural: string, name: ObjectName): void {
    this.objects.delete(keyIn(plural, name));
  }

  get client(): KubeClient {
    return this as unknown as KubeClient;
  }

  create(resource: Resource, object: KubeObject): Promise<KubeObject> {
    return this.#call(`create ${resource.plural}`, () => {
      if (this.objects.has(keyIn(resource.plural, object.metadata ?? {})))
        throw new KubeError({ code: 409, reason: 'AlreadyExists' }, 'create');
      return this.put(resource.plural, structuredClone(object));
    });
  }

  get(resource: Resource, name: ObjectName): Promise<KubeObject> {
    return this.#call(`get ${resource.plural}`, () => this.#find(resource, name));
  }

  /** Selectors are not looked at: the callers filter by owner themselves. */
  list(resource: Resource): Promise<KubeList<KubeObject>> {
    return this.#call(`list ${resource.plural}`, () => ({
      metadata: {},
      items: this.all<KubeObject>(resource.plural),
    }));
  }

  patch(resource: Resource, name: ObjectName, patch: Patch): Promise<KubeObject> {
    return this.#call(`patch ${resource.plural}`, () => {
      const before = this.#find(resource, name);
      if (patch.type === 'strategic') return this.put(resource.plural, withConditions(before, patch.body));
      if (patch.type !== 'json') throw new Error(`no ${patch.type} patch here`);
      const after = applyJsonPatch(before, patch.body);
      if (after.metadata?.resourceVersion !== before.metadata?.resourceVersion)
        throw new KubeError({ code: 409, reason: 'Conflict' }, 'patch');
      return this.put(resource.plural, after);
    });
  }

  delete(resource: Resource, name: ObjectName): Promise<KubeObject> {
    return this.#call(`delete ${resource.plural}`, () => {
      const before = this.#find(resource, name);
      if (before.metadata?.deletionTimestamp) return before;
      return this.put(resource.plural, {
        ...before,
        metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      });
    });
  }

  #find(resource: Resource, name: ObjectName): KubeObject {
    const found = this.objects.get(keyIn(resource.plural, name));
    if (!found) throw new KubeError({ code: 404, reason: 'NotFound' }, 'get');
    return structuredClone(found);
  }

  async #call<T>(label: string, act: () => T): Promise<T> {
    const failing = this.calls.length === this.#faultAt;
    this.calls.push(label);
    if (failing && this.#fault === 'request lost') throw new Error('connection refused');
    const result = act();
    if (failing) throw new Error('connection reset');
    return structuredClone(result);
  }
}

function keyIn(plural: string, { namespace, name }: { namespace?: string; name?: string }): string {
  return `${plural}/${namespace}/${name}`;
}

function withConditions(object: KubeObject, body: object): KubeObject {
  const pod = object as Pod;
  const added = (body as { status: { conditions: Condition[] } }).status.conditions;
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => !added.some((one) => one.type === type));
  const changed: Pod = { ...pod, status: { ...pod.status, conditions: [...kept, ...added] } };
  return changed;
}
