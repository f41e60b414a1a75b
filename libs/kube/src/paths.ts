import type { ObjectName, Resource } from './objects.ts';

export type QueryValue = string | number | boolean | undefined;
export type Query = Readonly<Record<string, QueryValue | readonly string[]>>;

export interface ResourceTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Path of a collection (no name) or of one object, on the API server. */
export function resourcePath(resource: Resource, target: ResourceTarget | ObjectName): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const segments = [root];
  if (target.namespace && resource.namespaced) segments.push('namespaces', encodeURIComponent(target.namespace));
  segments.push(resource.plural);
  if (target.name !== undefined) {
    // An empty name would silently address the whole collection, for DELETE too.
    if (target.name === '') throw new Error(`a ${resource.kind} needs a name`);
    if (resource.namespaced && !target.namespace) throw new Error(`${resource.kind} ${target.name} needs a namespace`);
    segments.push(encodeURIComponent(target.name));
  }
  const subresource = 'subresource' in target ? target.subresource : undefined;
  if (subresource) segments.push(subresource);
  return segments.join('/');
}

/** Undefined values are left out; arrays repeat the parameter. */
export function withQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) parameters.append(name, item);
    else parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
