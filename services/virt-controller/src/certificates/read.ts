import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';

/** PEM of a certificate and its key. */
export interface Pair {
  cert: string;
  key: string;
}

export interface LeafSpec {
  commonName: string;
  dnsNames: readonly string[];
  usage: 'server' | 'client' | 'both';
}

/** Milliseconds since the epoch. */
export interface Validity {
  notBefore: number;
  notAfter: number;
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle; what cannot be read is left out. */
export function readBundle(pem: string): X509Certificate[] {
  return (pem.match(PEM_BLOCK) ?? []).flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

export function readCertificate(pem: string | undefined): X509Certificate | undefined {
  return pem ? readBundle(pem)[0] : undefined;
}

export function validityOf(cert: X509Certificate): Validity {
  return { notBefore: cert.validFromDate.getTime(), notAfter: cert.validToDate.getTime() };
}

export function isSignedBy(cert: X509Certificate, ca: X509Certificate): boolean {
  return cert.checkIssued(ca) && cert.verify(ca.publicKey);
}

export function hasNames(cert: X509Certificate, spec: LeafSpec): boolean {
  const names = (cert.subjectAltName ?? '').split(', ');
  return (
    cert.subject.split('\n').includes(`CN=${spec.commonName}`) &&
    spec.dnsNames.every((name) => names.includes(`DNS:${name}`))
  );
}

export function keyFits({ cert, key }: Pair): boolean {
  try {
    const spki = { type: 'spki', format: 'der' } as const;
    const ofKey = createPublicKey(createPrivateKey(key)).export(spki);
    return new X509Certificate(cert).publicKey.export(spki).equals(ofKey);
  } catch {
    return false;
  }
}
