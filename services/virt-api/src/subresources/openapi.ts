import { createHash } from 'node:crypto';
import {
  GROUP,
  GROUP_CALLS,
  groupPathOf,
  pathsOf,
  SUBRESOURCES,
  type Subresource,
  successOf,
  VERSIONS,
} from './table.ts';

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
    (SUBRESOURCES as readonly Subresource[]).flatMap((subresource) =>
      pathsOf(subresource).map((path): [string, object] => {
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
        return [
          `/apis/${GROUP}/${version}/${path.replaceAll(/:(\w+)/g, '{$1}')}`,
          {
            [subresource.method.toLowerCase()]: operation(subresource, version, names.slice(2), v3),
            parameters: names.map((name) => parameter(name, { type: 'string' }, v3)),
          },
        ];
      }),
    ),
  );
  const others = versions.flatMap((version) => GROUP_CALLS.map((call) => groupPath(call, version, v3)));
  return Object.fromEntries([...entries, ...others]);
}

function groupPath(call: (typeof GROUP_CALLS)[number], version: string, v3: boolean): [string, object] {
  const { name, namespaced, method, summary } = call;
  const json = { type: 'object' };
  const answer = {
    description: 'OK',
    ...(v3 ? { content: { 'application/json': { schema: json } } } : { schema: json }),
  };
  const body = v3
    ? { requestBody: { content: { 'application/json': { schema: json } } } }
    : { parameters: [{ name: 'body', in: 'body', schema: json }] };
  const operation = {
    operationId: `${version}${camel(method.toLowerCase())}${camel(name)}`,
    summary,
    ...(v3 ? {} : { consumes: ['application/json'], produces: ['application/json'] }),
    ...(method === 'PUT' ? body : {}),
    responses: { 200: answer, 401: { description: 'Unauthorized' } },
  };
  return [
    `/apis/${GROUP}/${version}/${groupPathOf(call).replace(':namespace', '{namespace}')}`,
    {
      [method.toLowerCase()]: operation,
      ...(namespaced ? { parameters: [parameter('namespace', { type: 'string' }, v3)] } : {}),
    },
  ];
}

/** `parts`: what the path has after the name of the subresource. */
function operation(subresource: Subresource, version: string, parts: readonly string[], v3: boolean): object {
  const {
    resource,
    name,
    method,
    kind,
    summary,
    body,
    query = {},
    stream,
    produces = 'application/json',
  } = subresource;
  const content = produces === 'application/json' ? { type: 'object' } : { type: 'string', format: 'binary' };
  const ok = { description: 'OK' };
  const answered = method === 'GET' && !stream;
  const answer = answered
    ? v3
      ? { ...ok, content: { [produces]: { schema: content } } }
      : { ...ok, schema: produces === 'application/json' ? content : { type: 'file' } }
    : stream
      ? { description: 'Switching Protocols: a websocket of subprotocol plain.kubevirt.io' }
      : ok;
  const reference = { $ref: `#/${v3 ? 'components/schemas' : 'definitions'}/${schemaName(kind)}` };
  const parameters = [
    ...Object.entries(query).map(([key, { type, description }]) => ({
      name: key,
      in: 'query',
      description,
      ...(v3 ? { schema: { type } } : { type }),
    })),
    ...(body !== undefined && !v3 ? [{ name: 'body', in: 'body', schema: reference }] : []),
  ];
  const id = [version, method.toLowerCase(), resource, ...name.split('/'), ...parts.map((part) => `by ${part}`)];
  return {
    operationId: id.map((word, index) => (index < 1 ? word : camel(word))).join(''),
    summary,
    ...(v3 ? {} : { consumes: ['application/json'], produces: [produces] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body !== undefined && v3 ? { requestBody: { content: { 'application/json': { schema: reference } } } } : {}),
    responses: { [successOf(subresource)]: answer, 401: { description: 'Unauthorized' } },
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
const camel = (text: string): string =>
  text
    .split(/[ -]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
