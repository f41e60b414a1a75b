/** Kubernetes objects as they are on the wire: raw JSON, timestamps as strings. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any object, as any client may have written it; the object model of this product is stricter. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: {
    name?: string;
    generateName?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string | null;
    deletionTimestamp?: string | null;
    deletionGracePeriodSeconds?: number | null;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: OwnerReference[];
  };
}

export interface KubeList<T> {
  apiVersion?: string;
  kind?: string;
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  items: T[];
}

/** Where a kind is served. `T` is the type of its objects; the field itself never exists at run time. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly object?: T;
}

/** Names one object; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `namespace/name`, or `name` for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  return formatKey({
    name: object.metadata?.name ?? '',
    ...(object.metadata?.namespace ? { namespace: object.metadata.namespace } : {}),
  });
}

export function formatKey(name: ObjectName): string {
  return name.namespace ? `${name.namespace}/${name.name}` : name.name;
}

export function parseKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner reference that makes `owner` the managing controller of an object. */
export function controllerReference(owner: KubeObject, resource: Resource): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (!name || !uid) throw new Error(`a ${resource.kind} without name and uid cannot own anything`);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** Age order of resource versions. They are opaque by the API's word but always etcd revisions in practice; unparsable ones count as newer. */
export function isOlderVersion(candidate: string | undefined, than: string | undefined): boolean {
  if (!candidate || !than || !/^\d+$/.test(candidate) || !/^\d+$/.test(than)) return false;
  return BigInt(candidate) < BigInt(than);
}
