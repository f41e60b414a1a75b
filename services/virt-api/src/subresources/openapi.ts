import { createHash } from 'node:crypto';
import { GROUP, SUBRESOURCES, type Subresource, VERSIONS } from './table.ts';

const INFO = { title: 'Yagura subresources', version: 'v1' };
const parameter = (name: string, schema: object, v3: boolean) => ({
  name,
  in: 'path',
  required: true,
  ...(v3 ? { schema } : schema),
});

/** GET /openapi/v2: Swagger 2.0, which the API server merges into its own. */
export function openApiV2(): object {
  return { swagger: '2.0', info: INFO, paths: paths(VERSIONS, false), definitions: schemas() };
}

/** GET /openapi/v3: where the document of each group version is; the hash lets the API server keep its copy. */
export function openApiV3Index(): object {
  return {
    paths: Object.fromEntries(
      VERSIONS.map((version) => {
        const hash = createHash('sha256')
          .update(JSON.stringify(openApiV3(version)))
          .digest('hex')
          .toUpperCase();
        return [`apis/${GROUP}/${version}`, { serverRelativeURL: `/openapi/v3/apis/${GROUP}/${version}?hash=${hash}` }];
      }),
    ),
  };
}

/** GET /openapi/v3/apis/subresources.kubevirt.io/{version} */
export function openApiV3(version: string): object {
  return { openapi: '3.0.0', info: INFO, paths: paths([version], true), components: { schemas: schemas() } };
}

function paths(versions: readonly string[], v3: boolean): Record<string, object> {
  const entries = versions.flatMap((version) =>
    SUBRESOURCES.map((subresource): [string, object] => [
      `/apis/${GROUP}/${version}/namespaces/{namespace}/${subresource.resource}/{name}/${subresource.name}`,
      {
        [subresource.method.toLowerCase()]: operation(subresource, version, v3),
        parameters: [parameter('namespace', { type: 'string' }, v3), parameter('name', { type: 'string' }, v3)],
      },
    ]),
  );
  return Object.fromEntries(entries);
}

function operation(subresource: Subresource, version: string, v3: boolean): object {
  const { resource, name, method, kind, summary, body } = subresource;
  const json = { 'application/json': { schema: { type: 'object' } } };
  const ok = { description: 'OK' };
  const answer = method === 'GET' ? (v3 ? { ...ok, content: json } : { ...ok, schema: { type: 'object' } }) : ok;
  const success = resource === 'virtualmachines' ? '202' : '200';
  const reference = { $ref: `#/${v3 ? 'components/schemas' : 'definitions'}/${schemaName(kind)}` };
  const taken =
    body === undefined
      ? {}
      : v3
        ? { requestBody: { content: { 'application/json': { schema: reference } } } }
        : { parameters: [{ name: 'body', in: 'body', schema: reference }] };
  return {
    operationId: `${version}${capital(method.toLowerCase())}${capital(resource)}${capital(name)}`,
    summary,
    ...(v3 ? {} : { consumes: ['application/json'], produces: ['application/json'] }),
    ...taken,
    responses: { [success]: answer, 401: { description: 'Unauthorized' } },
  };
}

function schemas(): Record<string, object> {
  return Object.fromEntries(
    (SUBRESOURCES as readonly Subresource[])
      .filter((subresource) => subresource.body !== undefined)
      .map(({ kind, body, summary }) => [
        schemaName(kind),
        { type: 'object', description: `Options. ${summary}`, properties: body },
      ]),
  );
}

const schemaName = (kind: string): string => `v1.${kind}`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
