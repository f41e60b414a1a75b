import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { type RequestOptions, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  PemConverter,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { RpcError, Status } from '@yagura/contracts';
import { createLogger } from '@yagura/runtime';
import { HttpError } from './errors.ts';
import { CLIENT_NAME, startRestServer, swapCertificates } from './rest-server.ts';
import { createRoutes } from './routes.ts';

cryptoProvider.set(webcrypto);
const log = createLogger('test', '0').child({}, { level: 'silent' });
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface Identity {
  cert: string;
  key: string;
  certificate: X509Certificate;
  keys: CryptoKeyPair;
}
type CryptoKeyPair = Awaited<ReturnType<typeof generate>>;
const generate = async () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function identity(name: string, issuer?: Identity): Promise<Identity> {
  const keys = await generate();
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: issuer?.certificate.subject ?? `CN=${name}`,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(issuer === undefined)],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: certificate.toString('pem'), key, certificate, keys };
}

let authority: Identity;
let server: Server;
let port: number;
beforeAll(async () => {
  authority = await identity('yagura-ca');
  const own = await identity('kubevirt.io:system:node:virt-handler', authority);
  server = await startRestServer({
    port: 0,
    certificates: { cert: own.cert, key: own.key, ca: authority.cert },
    handle: async ({ method, path }) => {
      if (path === '/paused') throw new RpcError(Status.FAILED_PRECONDITION, 'the domain is paused');
      return path === '/empty' ? { status: 202 } : { status: 200, body: { method, path } };
    },
    upgrade: async () => {
      throw new HttpError(503, 'Active VNC connection. Request denied.');
    },
    log,
  });
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function call(path: string, client?: Pick<Identity, 'cert' | 'key'>, ca = authority.cert, headers = {}) {
  const options: RequestOptions = {
    port,
    path,
    ca,
    headers,
    checkServerIdentity: () => undefined,
    agent: false,
    ...client,
  };
  return new Promise<{ status: number | undefined; body: string; server: string | string[] }>((resolve, reject) => {
    const outgoing = request(options, (response) => {
      let body = '';
      const subject =
        'getPeerCertificate' in response.socket
          ? (response.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate()
              .subject.CN
          : '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, body, server: subject }));
    });
    outgoing.on('error', reject).end();
  });
}

test('virt-api’s certificate is let in, and an error keeps its meaning', async () => {
  const client = await identity(CLIENT_NAME, authority);
  expect(await call('/x?y=1', client)).toMatchObject({ status: 200, body: '{"method":"GET","path":"/x"}' });
  expect(await call('/empty', client)).toMatchObject({ status: 202, body: '' });
  const { status, body } = await call('/paused', client);
  expect(status).toBe(409);
  expect(JSON.parse(body)).toMatchObject({
    kind: 'Status',
    status: 'Failure',
    reason: 'Conflict',
    code: 409,
    message: 'the domain is paused',
  });
});

test('an upgrade that is refused is answered, and one of a stranger is not', async () => {
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
  const { status, body } = await call('/x', await identity(CLIENT_NAME, authority), authority.cert, upgrade);
  expect(status).toBe(503);
  expect(JSON.parse(body)).toMatchObject({ message: 'Active VNC connection. Request denied.' });
  await expect(call('/x', await identity('other', authority), authority.cert, upgrade)).rejects.toThrow();
});

test.each(['//', '///x', '/%', '/%E0%A4%A', '/x#y', '*'])('the odd path %s is answered', async (path) => {
  const client = await identity(CLIENT_NAME, authority);
  const { status, body } = await call(path, client);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ method: 'GET', path: path.split('#')[0] });
});

test.each([
  ['/v1/namespaces/a/virtualmachineinstances/%E0%A4%A/userlist', 400],
  ['/v1/namespaces/%/virtualmachineinstances/demo/userlist', 400],
  ['/v1/namespaces/a/virtualmachineinstances/demo/none', 404],
  ['//', 404],
])('%s is refused with %i', async (path, code) => {
  const routes = createRoutes({} as never);
  await expect(routes({ method: 'GET', path, body: '' })).rejects.toMatchObject({ name: 'HttpError', code });
});

test('a timeline is looked for whether its instance is there or not', async () => {
  const asked: unknown[] = [];
  const timelines = {
    timeline: async (...args: unknown[]) => {
      asked.push(args);
      return args[2] === 'u' ? { kind: 'Timeline' } : undefined;
    },
  };
  const routes = createRoutes({ timelines } as never);
  const get = { method: 'GET', path: '/v1/namespaces/a/virtualmachineinstances/demo/timeline', body: '' };
  await expect(routes({ ...get, query: new URLSearchParams({ uid: 'u' }) })).resolves.toMatchObject({ status: 200 });
  await expect(routes(get)).rejects.toMatchObject({ code: 404, message: expect.stringContaining('a/demo') });
  expect(asked).toEqual([
    ['a', 'demo', 'u'],
    ['a', 'demo', undefined],
  ]);
});

test.each([
  ['no certificate', async () => undefined],
  ['another name', async () => identity('kubevirt.io:system:node:virt-handler', authority)],
  ['the right name of a foreign authority', async () => identity(CLIENT_NAME, await identity('evil-ca'))],
])('a client with %s gets no answer', async (_, make) => {
  await expect(call('/x', await make())).rejects.toThrow();
});

test('after a rotation the new authority counts and the new certificate is shown', async () => {
  const next = await identity('yagura-ca-2');
  const own = await identity('handler-2', next);
  swapCertificates(server, { cert: own.cert, key: own.key, ca: next.cert });
  const reply = await call('/x', await identity(CLIENT_NAME, next), next.cert);
  expect(reply).toMatchObject({ status: 200, server: 'handler-2' });
  await expect(call('/x', await identity(CLIENT_NAME, authority), next.cert)).rejects.toThrow();
  await once(server.close(), 'close');
});
