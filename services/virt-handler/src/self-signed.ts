import { webcrypto } from 'node:crypto';

/**
 * A certificate of our own making, for probes and scrapes that verify nobody, until the cluster's is there: health must
 * not depend on another component. Its library is loaded only when it comes to that.
 */
export async function selfSigned(name: string): Promise<{ key: string; cert: string }> {
  await import('reflect-metadata');
  const { cryptoProvider, PemConverter, X509CertificateGenerator } = await import('@peculiar/x509');
  cryptoProvider.set(webcrypto);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notAfter: new Date(Date.now() + 365 * 24 * 3600 * 1000),
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}
