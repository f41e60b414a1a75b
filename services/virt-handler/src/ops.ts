import type { Server } from 'node:https';
import { type Logger, sleep } from '@yagura/runtime';
import { Health } from '@yagura/runtime/health';
import { createRegistry, type Registry } from '@yagura/runtime/metrics';
import { startOpsServer } from '@yagura/runtime/ops';
import type { CertificateSource } from './certs/certificates.ts';
import { selfSigned } from './self-signed.ts';

/** The cluster's certificate is waited for so long before the port is opened with one of our own. */
const CERTIFICATE_WAIT_MS = 3_000;

export interface OpsParts {
  port: number;
  certificates: CertificateSource;
  ready: Health;
  log: Logger;
  signal: AbortSignal;
}

/** `/healthz`, `/readyz` and `/metrics` over TLS, with whatever certificate there is. */
export async function startOps({ port, certificates, ready, log, signal }: OpsParts): Promise<Registry> {
  const registry = createRegistry();
  for (let waited = 0; waited < CERTIFICATE_WAIT_MS && certificates.current() === undefined; waited += 50) {
    await sleep(50, signal);
  }
  const tls = certificates.current() ?? (await selfSigned('virt-handler'));
  const server = (await startOpsServer(
    { health: new Health(), ready, registry },
    { port, tls: { key: tls.key, cert: tls.cert } },
  )) as Server;
  certificates.onChange(({ key, cert }) => server.setSecureContext({ key, cert }));
  signal.addEventListener('abort', () => server.close(), { once: true });
  log.info({ port }, 'operations endpoint is up');
  return registry;
}
