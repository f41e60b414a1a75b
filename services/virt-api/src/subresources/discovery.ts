import { GROUP, GROUP_CALLS, SUBRESOURCES, VERSIONS } from './table.ts';

const versions = VERSIONS.map((version) => ({ groupVersion: `${GROUP}/${version}`, version }));

/** GET /apis/subresources.kubevirt.io */
export function apiGroup(): object {
  return { kind: 'APIGroup', apiVersion: 'v1', name: GROUP, versions, preferredVersion: versions[0] };
}

/** GET /apis */
export function apiGroupList(): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [apiGroup()] };
}

/** GET /apis/subresources.kubevirt.io/{version} */
export function apiResourceList(version: string): object {
  const verbs = (method: 'GET' | 'PUT') => [method === 'GET' ? 'get' : 'update'];
  const subresources = SUBRESOURCES.map(({ resource, name, kind, method }) => ({
    name: `${resource}/${name}`,
    singularName: '',
    namespaced: true,
    kind,
    verbs: verbs(method),
  }));
  const others = GROUP_CALLS.map(({ name, namespaced, kind, method }) => ({
    name,
    singularName: '',
    namespaced,
    kind,
    verbs: verbs(method),
  }));
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${GROUP}/${version}`,
    resources: [...subresources, ...others],
  };
}
