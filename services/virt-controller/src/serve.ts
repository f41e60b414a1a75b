import { createServer, type Server } from 'node:https';
import type { Secret } from '@yagura/api';
import { defineResource, Informer, type KubeClient, type Logger } from '@yagura/kube';
import { aborted, errorMessage } from '@yagura/runtime';
import { handleOps, type Ops } from '@yagura/runtime/ops';

const Secrets = defineResource<Secret>('v1', 'Secret', 'secrets');
const SECRET = 'kubevirt-controller-certs';

export interface ServeOptions {
  client: KubeClient;
  namespace: string;
  port: number;
  ops: Ops;
  log: Logger;
}

/** Serves operations over TLS from the moment the leader has made the certificate; a renewed one is taken up without a restart. */
export async function serveOps(
  { client, namespace, port, ops, log }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  let server: Server | undefined;
  const informer = new Informer(client, Secrets, {
    namespace,
    fieldSelector: `metadata.name=${SECRET}`,
    onError: (error) =>
      log.warn({ error: errorMessage(error) }, 'the watch of the serving certificate was interrupted'),
  });
  informer.onChange(({ type, object }) => {
    const pair = type === 'deleted' ? undefined : pairOf(object);
    if (!pair) return;
    if (server) server.setSecureContext(pair);
    else server = listen(pair, port, ops, log);
  });
  const watching = informer.run(signal);
  await aborted(signal);
  server?.closeAllConnections();
  server?.close();
  await watching;
}

function listen(pair: { cert: string; key: string }, port: number, ops: Ops, log: Logger): Server {
  const server = createServer(pair, (request, response) => {
    handleOps(ops, request, response).then(
      (handled) => {
        if (!handled) response.writeHead(404).end('not found');
      },
      (error: unknown) => {
        response.writeHead(500).end(String(error));
      },
    );
  });
  server.on('error', (err) => {
    throw err;
  });
  server.listen(port, () => log.info({ port }, 'serving operations'));
  return server;
}

function pairOf({ data }: Secret): { cert: string; key: string } | undefined {
  const cert = data?.['tls.crt'];
  const key = data?.['tls.key'];
  if (!cert || !key) return undefined;
  return { cert: Buffer.from(cert, 'base64').toString('utf8'), key: Buffer.from(key, 'base64').toString('utf8') };
}
