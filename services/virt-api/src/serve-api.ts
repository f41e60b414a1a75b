import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { KUBEVIRT_OBJECT_NAME, type KubeVirt, kubevirtConfig } from '@yagura/api';
import { defineResource, KubeClient, type KubeObject } from '@yagura/kube';
import { aborted, errorMessage, type MainContext } from '@yagura/runtime';
import { Health } from '@yagura/runtime/health';
import { handleOps } from '@yagura/runtime/ops';
import { clusterObjects } from './admission/cluster-objects.ts';
import { webhooks } from './admission/webhooks.ts';
import { Credentials } from './credentials.ts';
import { HandlerClient } from './handler/handler-client.ts';
import { Router } from './http/router.ts';
import { serve, serveUpgrade } from './http/serve.ts';
import { apiMetrics } from './metrics.ts';
import { addRoutes } from './routes.ts';
import { OpenStreams } from './streams/open-streams.ts';
import { drain, serveTls } from './tls-server.ts';
import { WatchedObject } from './watched-object.ts';

const KubeVirts = defineResource<KubeVirt & KubeObject>('kubevirt.io/v1', 'KubeVirt', 'kubevirts');
const PORT = Number(process.env['PORT'] ?? 8443);

/** Wires virt-api together and serves until the signal. */
export async function serveApi({ log, signal }: MainContext): Promise<void> {
  const client = await KubeClient.load({ userAgent: 'virt-api' });
  const namespace = process.env['POD_NAMESPACE'] ?? client.access.namespace;
  const onError = (error: unknown) => log.warn({ error: errorMessage(error) }, 'watch failed, will be tried again');
  const credentials = new Credentials(client, namespace, onError);
  const kubevirt = new WatchedObject(client, KubeVirts, { namespace, name: KUBEVIRT_OBJECT_NAME, onError });
  const metrics = apiMetrics();
  const handlers = new HandlerClient({ client, namespace, tls: () => credentials.handler });

  const streams = new OpenStreams(metrics.streamOpened);
  const router = new Router();
  addRoutes(router, {
    client,
    handlers,
    streams,
    namespace,
    config: () => kubevirtConfig(kubevirt.current),
    frontProxy: () => credentials.frontProxy,
    webhooks: webhooks({
      namespace,
      config: () => kubevirtConfig(kubevirt.current),
      cluster: clusterObjects(client),
      onVmCreated: metrics.vmCreated,
    }),
  });

  const ready = new Health();
  ready.add('front proxy', () => (credentials.frontProxy ? undefined : 'its CA is not known yet'));
  ready.add('stopping', () => (signal.aborted ? 'the server stops' : undefined));
  const ops = { health: new Health(), ready, registry: metrics.registry };
  const served = { router, log, onServed: metrics.served };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (signal.aborted) response.setHeader('connection', 'close');
    if (!(await handleOps(ops, request, response))) await serve(served, request, response);
  };
  const upgrade = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    void serveUpgrade(served, request, socket, head);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((err: unknown) => {
      log.error({ err }, 'request failed');
      response.destroy();
    });
  };

  const watches = Promise.all([credentials.run(signal), kubevirt.run(signal)]);
  await kubevirt.synced(signal).catch(() => {});
  const server = await serveTls({ credentials, port: PORT, log, listener, upgrade }, signal);
  if (server !== undefined) log.info({ port: PORT, namespace }, 'serving');
  await aborted(signal);
  if (server !== undefined) await drain(server, streams);
  handlers.close();
  await watches;
  client.close();
}
