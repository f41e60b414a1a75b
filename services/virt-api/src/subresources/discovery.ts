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

/** What takes no name of an object: a spec that is sent, and what is asked of the group itself. */
const OTHERS = [
  { name: 'expand-vm-spec', singularName: '', namespaced: true, kind: 'VirtualMachine', verbs: ['update'] },
  { name: 'version', singularName: '', namespaced: false, kind: '', verbs: ['get'] },
  { name: 'guestfs', singularName: '', namespaced: false, kind: '', verbs: ['get'] },
  { name: 'healthz', singularName: '', namespaced: false, kind: '', verbs: ['get'] },
];

/** GET /apis/subresources.kubevirt.io/{version} */
export function apiResourceList(version: string): object {
  const subresources = SUBRESOURCES.map(({ resource, name, kind, method }) => ({
    name: `${resource}/${name}`,
    singularName: '',
    namespaced: true,
    kind,
    verbs: [method === 'GET' ? 'get' : 'update'],
  }));
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${GROUP}/${version}`,
    resources: [...subresources, ...OTHERS],
  };
}
