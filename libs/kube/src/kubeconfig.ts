import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import type { AccessOptions, ClusterAccess, TlsMaterial } from './access.ts';

const MAX_AGE_MS = 60_000;

/** Access by kubeconfig: certificates, tokens, exec plugins and auth providers, all by client-node. */
export async function kubeconfigAccess(options: AccessOptions): Promise<ClusterAccess> {
  const config = new KubeConfig();
  if (options.kubeconfig) config.loadFromFile(options.kubeconfig);
  else config.loadFromDefault();
  if (options.context) config.setCurrentContext(options.context);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`no cluster in the kubeconfig for context "${config.getCurrentContext()}"`);

  let applied = await apply(config);
  let appliedAt = Date.now();
  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    tls: tlsOf(applied, cluster.tlsServerName),
    async authorize() {
      if (Date.now() - appliedAt >= MAX_AGE_MS) {
        applied = await apply(config);
        appliedAt = Date.now();
      }
      return headersOf(applied);
    },
    refresh() {
      appliedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

async function apply(config: KubeConfig): Promise<RequestOptions> {
  const request: RequestOptions = {};
  await config.applyToHTTPSOptions(request);
  return request;
}

function tlsOf(request: RequestOptions, serverName: string | undefined): TlsMaterial {
  return {
    ...(request.ca ? { ca: request.ca } : {}),
    ...(request.cert ? { cert: request.cert } : {}),
    ...(request.key ? { key: request.key } : {}),
    ...(request.pfx ? { pfx: request.pfx } : {}),
    ...(request.passphrase ? { passphrase: request.passphrase } : {}),
    ...(serverName ? { servername: serverName } : {}),
    ...(request.rejectUnauthorized === false ? { rejectUnauthorized: false } : {}),
  };
}

function headersOf(request: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {}))
    if (typeof value === 'string') headers[name] = value;
  if (request.auth) headers['Authorization'] = `Basic ${Buffer.from(request.auth).toString('base64')}`;
  return headers;
}
