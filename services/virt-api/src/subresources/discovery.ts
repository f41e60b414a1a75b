import { GROUP, SUBRESOURCES, VERSIONS } from './table.ts';

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
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${GROUP}/${version}`,
    resources: SUBRESOURCES.map(({ resource, name, kind, method }) => ({
      name: `${resource}/${name}`,
      singularName: '',
      namespaced: true,
      kind,
      verbs: [method === 'GET' ? 'get' : 'update'],
    })),
  };
}
