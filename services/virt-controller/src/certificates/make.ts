import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { BACKDATE_MS, CA_LIFETIME_MS, LEAF_LIFETIME_MS } from './plan.ts';
import type { LeafSpec, Pair } from './read.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const { subtle } = globalThis.crypto;

const keyPair = () => subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

export async function makeCa(commonName: string, nowMs: number): Promise<Pair> {
  const keys = await keyPair();
  const cert = await X509CertificateGenerator.createSelfSigned({
    // One name a CA, so that two in one bundle are told apart.
    name: `CN=${commonName}@${Math.floor(nowMs / 1000)}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + CA_LIFETIME_MS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

export async function makeLeaf(ca: Pair, spec: LeafSpec, nowMs: number): Promise<Pair> {
  const issuer = new X509Certificate(ca.cert);
  const keys = await keyPair();
  const usages = [
    ...(spec.usage === 'client' ? [] : [ExtendedKeyUsage.serverAuth]),
    ...(spec.usage === 'server' ? [] : [ExtendedKeyUsage.clientAuth]),
  ];
  const cert = await X509CertificateGenerator.create({
    subject: [{ CN: [spec.commonName] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(Math.min(nowMs + LEAF_LIFETIME_MS, issuer.notAfter.getTime())),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(usages),
      new SubjectAlternativeNameExtension(spec.dnsNames.map((value) => ({ type: 'dns', value }))),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: cert.toString('pem'), key: await exportKey(keys.privateKey) };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const raw = PemConverter.decodeFirst(pem);
  return subtle.importKey('pkcs8', raw, ALGORITHM, false, ['sign']);
}
