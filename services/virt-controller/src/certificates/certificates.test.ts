import { apiServicePatch, webhookPatch } from './ca-bundles.ts';
import { HANDLER_CLIENT, leavesOf } from './leaves.ts';
import { makeCa, makeLeaf } from './make.ts';
import { BACKDATE_MS, CA_LIFETIME_MS, CA_SPREAD_MS, caIsDue, LEAF_LIFETIME_MS, leafIsDue } from './plan.ts';
import { hasNames, isSignedBy, keyFits, readBundle, readCertificate, validityOf } from './read.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test('a leaf is signed by its authority, carries its names and fits its key', async () => {
  const [ca, other] = await Promise.all([makeCa('test', NOW), makeCa('test', NOW + 1000)]);
  const leaves = leavesOf('yagura');
  const spec = leaves['kubevirt-virt-handler-certs'];
  const another = leaves['kubevirt-virt-api-certs'];
  if (!spec || !another) throw new Error('no such certificate');
  const pair = await makeLeaf(ca, spec, NOW);
  const cert = readCertificate(pair.cert);
  const [authority, stranger] = readBundle(`${ca.cert}\n${other.cert}\n`);
  if (!cert || !authority || !stranger) throw new Error('unreadable');
  expect([isSignedBy(cert, authority), isSignedBy(cert, stranger)]).toEqual([true, false]);
  expect([hasNames(cert, spec), hasNames(cert, another)]).toEqual([true, false]);
  expect(cert.subject).toBe(`CN=${HANDLER_CLIENT}`);
  expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect([keyFits(pair), keyFits({ cert: pair.cert, key: ca.key }), keyFits({ cert: 'x', key: 'y' })]).toEqual([
    true,
    false,
    false,
  ]);
  expect(validityOf(cert)).toEqual({ notBefore: NOW - BACKDATE_MS, notAfter: NOW + LEAF_LIFETIME_MS });
  expect(authority.ca).toBe(true);
});

test('what is no certificate is no authority', () => {
  expect(readBundle('')).toEqual([]);
  expect(readBundle('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toEqual([]);
});

test('an authority is renewed after four fifths of its life', () => {
  const ca = { notBefore: NOW, notAfter: NOW + CA_LIFETIME_MS };
  expect(caIsDue(undefined, NOW)).toBe(true);
  expect(caIsDue(ca, NOW + CA_LIFETIME_MS * 0.79)).toBe(false);
  expect(caIsDue(ca, NOW + CA_LIFETIME_MS * 0.8)).toBe(true);
});

test.each<[string, Partial<{ trusted: boolean; byNewestCa: boolean; age: number }> | undefined, number, boolean]>([
  ['there is none', undefined, 0, true],
  ['it is good', {}, 0, false],
  ['nobody in the bundle signed it', { trusted: false }, 0, true],
  ['it is old', { age: 0.8 }, 0, true],
  ['the authority is so new that not all know it', { byNewestCa: false }, CA_SPREAD_MS - 1, false],
  ['everybody knows the new authority', { byNewestCa: false }, CA_SPREAD_MS, true],
])('a leaf when %s', (_what, changes, sinceCa, due) => {
  const { age = 0, ...rest } = changes ?? {};
  const notBefore = NOW - age * LEAF_LIFETIME_MS;
  const leaf = changes && {
    notBefore,
    notAfter: notBefore + LEAF_LIFETIME_MS,
    trusted: true,
    byNewestCa: true,
    ...rest,
  };
  expect(leafIsDue(leaf, NOW - sinceCa, NOW)).toBe(due);
});

test('only bundles that differ are patched, each under the name it was found by', () => {
  const webhooks = [
    { name: 'a', clientConfig: { caBundle: 'new' } },
    { name: 'b', clientConfig: {} },
  ];
  expect(webhookPatch({ webhooks }, 'new')).toEqual([
    { op: 'test', path: '/webhooks/1/name', value: 'b' },
    { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: 'new' },
  ]);
  expect(apiServicePatch({ spec: { caBundle: 'new' } }, 'new')).toEqual([]);
  expect(apiServicePatch({ spec: {} }, 'new')).toHaveLength(1);
});
