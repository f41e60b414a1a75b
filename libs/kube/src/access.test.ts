import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAccess, tokenFile } from './access.ts';

const directory = mkdtempSync(join(tmpdir(), 'access-'));

test('a rotated token is used within a minute, or at once after it was refused', async () => {
  const path = join(directory, 'token');
  let now = 0;
  const access = tokenFile(path, () => now);
  const bearer = async () => (await access.authorize())['Authorization'];
  writeFileSync(path, 'one\n');
  expect(await bearer()).toBe('Bearer one');
  writeFileSync(path, 'two');
  now = 59_999;
  expect(await bearer()).toBe('Bearer one');
  now = 60_000;
  expect(await bearer()).toBe('Bearer two');
  writeFileSync(path, 'three');
  access.refresh();
  expect(await bearer()).toBe('Bearer three');
});

test('a kubeconfig gives the address, the namespace of its context, certificates and token', async () => {
  const kubeconfig = join(directory, 'config');
  const pem = (text: string) => Buffer.from(text).toString('base64');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [
      { name: 'a', context: { cluster: 'c', user: 'certificate', namespace: 'work' } },
      { name: 'b', context: { cluster: 'c', user: 'token' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://api.example.org:6443/', 'certificate-authority-data': pem('CA') } },
    ],
    users: [
      { name: 'certificate', user: { 'client-certificate-data': pem('CERT'), 'client-key-data': pem('KEY') } },
      { name: 'token', user: { token: 'secret' } },
    ],
  };
  writeFileSync(kubeconfig, JSON.stringify(content));
  const byCertificate = await loadAccess({ kubeconfig });
  expect(byCertificate).toMatchObject({ server: 'https://api.example.org:6443', namespace: 'work' });
  expect(Object.entries(byCertificate.tls).map(([name, value]) => [name, String(value)])).toEqual([
    ['ca', 'CA'],
    ['cert', 'CERT'],
    ['key', 'KEY'],
  ]);
  expect(await byCertificate.authorize()).toEqual({});
  const byToken = await loadAccess({ kubeconfig, context: 'b' });
  expect(byToken.namespace).toBe('default');
  expect(await byToken.authorize()).toEqual({ Authorization: 'Bearer secret' });
});

test('a context that does not exist is named', async () => {
  const kubeconfig = join(directory, 'empty');
  writeFileSync(
    kubeconfig,
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', contexts: [], clusters: [], users: [] }),
  );
  await expect(loadAccess({ kubeconfig, context: 'nowhere' })).rejects.toThrow(
    'no cluster in the kubeconfig for context "nowhere"',
  );
});
