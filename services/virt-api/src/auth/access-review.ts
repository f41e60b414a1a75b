import type { User } from './request-header.ts';

export interface ResourceAttributes {
  group: string;
  version: string;
  verb: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

const VERBS: Record<string, string> = {
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  POST: 'create',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * What a request for `/apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/SUB/RESOURCE…` asks to do, in the words of RBAC.
 * Undefined for a path that names no namespaced resource or a method that has no verb.
 */
export function resourceAttributes(method: string, path: string): ResourceAttributes | undefined {
  const [apis, group, version, namespaces, namespace, resource, name, ...subresource] = path
    .split('/')
    .filter((part) => part !== '');
  const verb = VERBS[method];
  if (apis !== 'apis' || namespaces !== 'namespaces' || !group || !version || !namespace || !resource || !verb)
    return undefined;
  return {
    group,
    version,
    verb: verb === 'get' && name === undefined ? 'list' : verb,
    namespace,
    resource,
    ...(name === undefined ? {} : { name }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join('/') }),
  };
}

/** The question to the API server's authorizers. */
export function accessReview(user: User, attributes: ResourceAttributes): object {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: user.username,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      extra: user.extra,
      resourceAttributes: attributes,
    },
  };
}
