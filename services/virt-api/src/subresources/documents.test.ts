import { apiResourceList } from './discovery.ts';
import { openApiV2, openApiV3, openApiV3Index } from './openapi.ts';
import { pathsOf, SUBRESOURCES, type Subresource } from './table.ts';

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
    const expected = (SUBRESOURCES as readonly Subresource[]).flatMap(pathsOf).length;
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

test('the index of OpenAPI v3 names both versions with a hash', () => {
  const { paths } = openApiV3Index() as { paths: Record<string, { serverRelativeURL: string }> };
  expect(Object.keys(paths)).toEqual(['apis/subresources.kubevirt.io/v1', 'apis/subresources.kubevirt.io/v1alpha3']);
  expect(paths['apis/subresources.kubevirt.io/v1']?.serverRelativeURL).toMatch(
    /^\/openapi\/v3\/apis\/subresources\.kubevirt\.io\/v1\?hash=[0-9A-F]{64}$/,
  );
});
