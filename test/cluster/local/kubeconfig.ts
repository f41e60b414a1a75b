import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { writeIfChanged } from '../files.ts';
import { pkiFile } from './certs.ts';
import { apiUrl } from './plan.ts';

export interface KubeconfigParts {
  readonly server: string;
  readonly user: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Certificates are inlined, so the file can be copied anywhere. */
export function renderKubeconfig(parts: KubeconfigParts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'yagura-local', cluster: { server: parts.server, 'certificate-authority-data': base64(parts.ca) } },
      ],
      users: [
        {
          name: parts.user,
          user: { 'client-certificate-data': base64(parts.certificate), 'client-key-data': base64(parts.key) },
        },
      ],
      contexts: [{ name: 'yagura-local', context: { cluster: 'yagura-local', user: parts.user } }],
      'current-context': 'yagura-local',
    },
    { lineWidth: 0 },
  );
}

export async function writeKubeconfig(path: string, certificate: string): Promise<boolean> {
  const [ca, crt, key] = await Promise.all(
    [pkiFile('ca', 'crt'), pkiFile(certificate, 'crt'), pkiFile(certificate, 'key')].map((file) =>
      readFile(file, 'utf8'),
    ),
  );
  const text = renderKubeconfig({
    server: apiUrl,
    user: certificate,
    ca: ca ?? '',
    certificate: crt ?? '',
    key: key ?? '',
  });
  return writeIfChanged(path, text, 0o600);
}
