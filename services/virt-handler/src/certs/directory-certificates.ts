import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aborted } from '@yagura/runtime';
import type { CertificateSource, ServingCertificates } from './certificates.ts';

/** Development only: `tls.crt`, `tls.key` and `ca.crt` of a directory, read once. */
export async function directoryCertificates(directory: string): Promise<CertificateSource> {
  const read = async (name: string) => readFile(join(directory, name), 'utf8');
  const [cert, key, ca] = await Promise.all([read('tls.crt'), read('tls.key'), read('ca.crt')]);
  const certificates: ServingCertificates = { cert, key, ca };
  return { current: () => certificates, onChange: () => {}, run: async (signal) => aborted(signal) };
}
