import { readFile, stat } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';

/** TLS material and where it leads. */
export interface TlsMaterial extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'> {
  servername?: string;
  rejectUnauthorized?: boolean;
}

/** How to reach an API server and who we are there. */
export interface ClusterAccess {
  /** `https://host:port`, possibly with a path prefix, no trailing slash. */
  readonly server: string;
  /** Namespace of the current context or of the pod we run in. */
  readonly namespace: string;
  readonly tls: TlsMaterial;
  /** Headers that authenticate a request; called for each one, cheap. */
  authorize(): Promise<Record<string, string>>;
  /** Called after a 401: the next `authorize` must not answer from a cache. */
  refresh(): void;
}

export interface AccessOptions {
  /** Kubeconfig file; default: $KUBECONFIG, the pod's service account, ~/.kube/config, in this order. */
  kubeconfig?: string;
  context?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_MAX_AGE_MS = 60_000;

export async function loadAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  const fromEnvironment = process.env['KUBECONFIG'];
  if (options.kubeconfig === undefined && !fromEnvironment && process.env['KUBERNETES_SERVICE_HOST']) {
    const inCluster = await stat(`${SERVICE_ACCOUNT}/token`).then(
      () => true,
      () => false,
    );
    if (inCluster) return inClusterAccess();
  }
  // Loaded only here: client-node costs tens of megabytes that no pod of ours needs.
  const { kubeconfigAccess } = await import('./kubeconfig.ts');
  return kubeconfigAccess(options);
}

/** The pod's own service account. The kubelet rotates the token file, so it is read again after a minute. */
async function inClusterAccess(directory = SERVICE_ACCOUNT): Promise<ClusterAccess> {
  const host = process.env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = process.env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const [ca, namespace] = await Promise.all([
    readFile(`${directory}/ca.crt`),
    readFile(`${directory}/namespace`, 'utf8'),
  ]);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    tls: { ca },
    ...tokenFile(`${directory}/token`),
  };
}

export function tokenFile(path: string, now: () => number = Date.now): Pick<ClusterAccess, 'authorize' | 'refresh'> {
  let token = '';
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async authorize() {
      if (now() - readAt >= TOKEN_MAX_AGE_MS) {
        token = (await readFile(path, 'utf8')).trim();
        readAt = now();
      }
      return { Authorization: `Bearer ${token}` };
    },
    refresh() {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
