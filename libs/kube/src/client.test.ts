import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClusterAccess } from './access.ts';
import { KubeClient } from './client.ts';
import {
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isFailedPatchTest,
  isNotFound,
  KubeError,
} from './errors.ts';
import { Nodes, Pods } from './resources.ts';

interface Seen {
  method: string;
  url: string;
  type: string | undefined;
  authorization: string | undefined;
  body: string;
}
type Answer = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void;

async function serve(answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, type: headers['content-type'], authorization: headers.authorization, body };
      seen.push(one);
      answer(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokens = { current: 'first', refreshed: 0 };
  const access: ClusterAccess = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
    namespace: 'default',
    tls: {},
    authorize: () => Promise.resolve({ Authorization: `Bearer ${tokens.current}` }),
    refresh() {
      tokens.refreshed += 1;
      tokens.current = 'second';
    },
  };
  const client = new KubeClient(access);
  const close = () => {
    client.close();
    server.closeAllConnections();
    server.close();
  };
  return { client, seen, tokens, close };
}

const json = (response: ServerResponse, code: number, body: object, headers = {}) =>
  response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

test('every verb goes to its path with its content type', async () => {
  const { client, seen, close } = await serve((_seen, response) => json(response, 200, { metadata: {}, items: [] }));
  const target = { namespace: 'n', name: 'a' };
  await client.get(Pods, target);
  await client.get(Nodes, { name: 'node/1' });
  await client.list(Pods, { labelSelector: 'a=b,c', limit: 5 });
  await client.create(Pods, { metadata: { namespace: 'n', name: 'a' } }, { fieldManager: 'me' });
  await client.update(Pods, { metadata: { namespace: 'n', name: 'a' } }, { subresource: 'status' });
  await client.patch(Pods, target, { type: 'json', body: [{ op: 'remove', path: '/x' }] });
  await client.patch(
    Pods,
    target,
    { type: 'apply', body: {}, force: true },
    { fieldManager: 'me', subresource: 'status' },
  );
  await client.delete(Pods, target, { gracePeriodSeconds: 0, preconditions: { uid: 'u' } });
  close();
  expect(seen.map(({ method, url, type }) => `${method} ${url} ${type ?? '-'}`)).toEqual([
    'GET /prefix/api/v1/namespaces/n/pods/a -',
    'GET /prefix/api/v1/nodes/node%2F1 -',
    'GET /prefix/api/v1/pods?labelSelector=a%3Db%2Cc&limit=5 -',
    'POST /prefix/api/v1/namespaces/n/pods?fieldManager=me application/json',
    'PUT /prefix/api/v1/namespaces/n/pods/a/status application/json',
    'PATCH /prefix/api/v1/namespaces/n/pods/a application/json-patch+json',
    'PATCH /prefix/api/v1/namespaces/n/pods/a/status?fieldManager=me&force=true application/apply-patch+yaml',
    'DELETE /prefix/api/v1/namespaces/n/pods/a application/json',
  ]);
  expect(JSON.parse(seen[3]?.body ?? '')).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'n', name: 'a' },
  });
  expect(JSON.parse(seen[7]?.body ?? '')).toMatchObject({
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u' },
  });
});

test.each<[string, number, object, (error: unknown) => boolean]>([
  ['not found', 404, { kind: 'Status', reason: 'NotFound' }, isNotFound],
  ['not found without a reason', 404, { kind: 'Status' }, isNotFound],
  ['a lost race', 409, { kind: 'Status', reason: 'Conflict' }, isConflict],
  ['a name in use', 409, { kind: 'Status', reason: 'AlreadyExists' }, isAlreadyExists],
  ['an old version', 410, { kind: 'Status', reason: 'Expired' }, isExpired],
  [
    'a failed patch test',
    422,
    { kind: 'Status', reason: 'Invalid', message: 'testing value /a failed: test failed' },
    isFailedPatchTest,
  ],
])('%s is recognised', async (_what, code, status, recognise) => {
  const { client, close } = await serve((_seen, response) => json(response, code, status));
  const error = await client.get(Pods, { namespace: 'n', name: 'a' }).catch((thrown: unknown) => thrown);
  close();
  expect(error).toBeInstanceOf(KubeError);
  expect([isNotFound, isConflict, isAlreadyExists, isExpired, isFailedPatchTest].filter((one) => one(error))).toEqual([
    recognise,
  ]);
});

test('the plain text of a proxy is the message, and Retry-After is kept', async () => {
  const { client, close } = await serve((_seen, response) =>
    response.writeHead(503, { 'Retry-After': '3' }).end('no backend'),
  );
  const error = await client.request({ path: '/version' }).catch((thrown: unknown) => thrown);
  close();
  expect(error).toMatchObject({ code: 503, message: 'GET /version: no backend', retryAfterMs: 3000 });
});

test('a token that is no longer accepted is read anew, once', async () => {
  const { client, seen, tokens, close } = await serve(({ authorization }, response) =>
    json(response, authorization === 'Bearer second' ? 200 : 401, { kind: 'Status' }),
  );
  await client.get(Pods, { namespace: 'n', name: 'a' });
  tokens.current = 'third';
  close();
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  expect(tokens.refreshed).toBe(1);
});

test.each<[string, Answer]>([
  ['no answer', () => {}],
  ['half an answer', (_seen, response) => response.writeHead(200, { 'Content-Length': '100' }).write('{')],
])('%s ends with the time', async (_what, answer) => {
  const { client, close } = await serve(answer);
  const error = await client.request({ path: '/version', timeoutMs: 50 }).catch((thrown: unknown) => thrown);
  close();
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ timedOut: true });
});

test('a caller that gives up gets its own reason back', async () => {
  const { client, close } = await serve(() => {});
  const reason = new Error('no longer needed');
  const stop = new AbortController();
  const call = client.request({ path: '/version' }, stop.signal);
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  close();
});

test('a read on a connection that the server has just closed is sent again; a write is not', async () => {
  let drop = false;
  const { client, seen, close } = await serve((_seen, response, request) => {
    if (drop) {
      drop = false;
      request.socket.destroy();
    } else json(response, 200, {});
  });
  await client.request({ path: '/a' });
  drop = true;
  await client.request({ path: '/b' });
  drop = true;
  await expect(client.request({ method: 'POST', path: '/c', body: {} })).rejects.toBeInstanceOf(ConnectionError);
  close();
  expect(seen.map(({ url }) => url)).toEqual(['/prefix/a', '/prefix/b', '/prefix/b', '/prefix/c']);
});

test('an object without a name is never taken for its collection', () => {
  const client = new KubeClient({
    server: 'http://127.0.0.1:1',
    namespace: 'n',
    tls: {},
    authorize: () => Promise.resolve({}),
    refresh() {},
  });
  expect(() => client.delete(Pods, { namespace: 'n', name: '' })).toThrow('a Pod needs a name');
  expect(() => client.delete(Pods, { name: 'a' })).toThrow('Pod a needs a namespace');
});

test('what the server says of its own clock comes with the answer', async () => {
  const { client, close } = await serve((_, response) =>
    json(response, 200, { kind: 'Pod' }, { Date: 'Thu, 01 Jan 2026 00:00:10 GMT' }),
  );
  await expect(client.dated({ path: '/x' })).resolves.toEqual({
    body: { kind: 'Pod' },
    date: new Date('2026-01-01T00:00:10Z'),
  });
  close();
});
