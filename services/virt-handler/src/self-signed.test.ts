import { createPublicKey, X509Certificate } from 'node:crypto';
import { selfSigned } from './self-signed.ts';

test('the certificate fits its key and is valid now', async () => {
  const { cert, key } = await selfSigned('virt-handler');
  const parsed = new X509Certificate(cert);
  expect(parsed.subject).toBe('CN=virt-handler');
  expect(parsed.publicKey.equals(createPublicKey(key))).toBe(true);
  expect(Date.parse(parsed.validFrom)).toBeLessThanOrEqual(Date.now());
  expect(Date.parse(parsed.validTo)).toBeGreaterThan(Date.now());
});
