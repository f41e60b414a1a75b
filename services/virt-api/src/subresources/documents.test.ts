import { apiResourceList } from './discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from './openapi.ts';
import { GROUP_CALLS, pathsOf, SUBRESOURCES, type Subresource, successOf } from './table.ts';

test('discovery lists every subresource with its verb', () => {
  const { resources } = apiResourceList('v1') as { resources: { name: string; verbs: string[] }[] };
  expect(resources.map(({ name, verbs }) => `${verbs.join()} ${name}`)).toEqual([
    ...SUBRESOURCES.map(({ resource, name, method }) => `${method === 'GET' ? 'get' : 'update'} ${resource}/${name}`),
    'update expand-vm-spec',
    'get version',
    'get guestfs',
    'get healthz',
  ]);
});

test.each([
  ['v2', openApiV2(), 2],
  ['v3', openApiV3('v1'), 1],
])(
  'OpenAPI %s has a path for each, unique operation ids, and every reference resolves',
  (_name, document, versions) => {
    const { paths, definitions, components } = document as {
      paths: Record<string, object>;
      definitions?: Record<string, object>;
      components?: { schemas: Record<string, object> };
    };
    const expected = (SUBRESOURCES as readonly Subresource[]).flatMap(pathsOf).length + GROUP_CALLS.length;
    expect(Object.keys(paths)).toHaveLength(expected * versions);
    expect(JSON.stringify(Object.keys(paths))).not.toContain(':');
    const text = JSON.stringify(document);
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = Object.keys(definitions ?? components?.schemas ?? {});
    for (const [, name] of text.matchAll(/"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g))
      expect(known).toContain(name);
  },
);

test.each([
  ['virtualmachines', 'start', 202],
  ['virtualmachines', 'addvolume', 202],
  ['virtualmachineinstances', 'addvolume', 202],
  ['virtualmachineinstances', 'removevolume', 202],
  ['virtualmachineinstances', 'pause', 200],
  ['virtualmachineinstances', 'guestosinfo', 200],
  ['virtualmachineinstances', 'console', 101],
])('%s/%s is said to answer %i', (resource, name, code) => {
  const all: readonly Subresource[] = SUBRESOURCES;
  const found = all.filter((one) => one.resource === resource && one.name === name);
  expect(found.map(successOf)).toEqual([code]);
});

test('the index of OpenAPI v3 names both versions with a hash', () => {
  const { paths } = openApiV3Index() as { paths: Record<string, { serverRelativeURL: string }> };
  expect(Object.keys(paths)).toEqual(['apis/subresources.kubevirt.io/v1', 'apis/subresources.kubevirt.io/v1alpha3']);
  expect(paths['apis/subresources.kubevirt.io/v1']?.serverRelativeURL).toMatch(
    /^\/openapi\/v3\/apis\/subresources\.kubevirt\.io\/v1\?hash=[0-9A-F]{64}$/,
  );
});
