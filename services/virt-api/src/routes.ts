import type { KubeClient } from '@yagura/kube';
import type { AsyncWebhook, Webhook } from './admission/review.ts';
import { addWebhooks } from './admission/routes.ts';
import { type GuardOptions, guarded } from './auth/guard.ts';
import type { Reply, RequestContext, Router } from './http/router.ts';
import { StatusError } from './http/status.ts';
import { apiGroup, apiGroupList, apiResourceList } from './subresources/discovery.ts';
import { layersCall } from './subresources/layers-call.ts';
import { openApiV2, openApiV3, openApiV3Index } from './subresources/openapi.ts';
import { GROUP, SUBRESOURCES, type SubresourceKey, VERSIONS } from './subresources/table.ts';
import { versionInfo } from './subresources/version.ts';
import { vmCalls } from './subresources/vm-calls.ts';
import { guestCall, type Handlers, pauseCall } from './subresources/vmi-calls.ts';

export interface RouteOptions {
  client: Pick<KubeClient, 'get' | 'list' | 'patch' | 'request'>;
  handlers: Handlers;
  frontProxy: GuardOptions['config'];
  webhooks: Readonly<Record<string, Webhook | AsyncWebhook>>;
}

type Call = (context: RequestContext) => Promise<Reply>;

/** Everything that virt-api answers besides its operations endpoint. */
export function addRoutes(router: Router, options: RouteOptions): void {
  const { client, handlers } = options;
  const guard = { client, config: options.frontProxy };
  const vm = vmCalls(client);
  const calls: Record<SubresourceKey, Call> = {
    'virtualmachines/start': vm.start,
    'virtualmachines/stop': vm.stop,
    'virtualmachines/restart': vm.restart,
    'virtualmachineinstances/pause': pauseCall(client, handlers, 'pause'),
    'virtualmachineinstances/unpause': pauseCall(client, handlers, 'unpause'),
    'virtualmachineinstances/guestosinfo': guestCall(client, handlers, 'guestosinfo'),
    'virtualmachineinstances/userlist': guestCall(client, handlers, 'userlist'),
    'virtualmachineinstances/filesystemlist': guestCall(client, handlers, 'filesystemlist'),
    'virtualmachineinstances/layers': layersCall({ client, handlers }),
  };
  const document = (path: string, body: () => object) => router.add('GET', path, () => ({ status: 200, body: body() }));
  document('/apis', apiGroupList);
  document(`/apis/${GROUP}`, apiGroup);
  document('/openapi/v2', openApiV2);
  document('/openapi/v3', openApiV3Index);
  for (const version of VERSIONS) {
    const root = `/apis/${GROUP}/${version}`;
    document(root, () => apiResourceList(version));
    document(`/openapi/v3${root}`, () => openApiV3(version));
    document(`${root}/version`, versionInfo);
    router.add('GET', `${root}/healthz`, async (context) => healthOf(client, context));
    for (const { resource, name, method } of SUBRESOURCES) {
      const call = calls[`${resource}/${name}` as SubresourceKey];
      router.add(method, `${root}/namespaces/:namespace/${resource}/:name/${name}`, guarded(guard, call));
    }
  }
  addWebhooks(router, options.webhooks);
}

/** Whether the API server answers us, which is all that virt-api depends on. */
async function healthOf(client: Pick<KubeClient, 'request'>, context: RequestContext): Promise<Reply> {
  try {
    const version = await client.request<object>({ path: '/version', timeoutMs: 5000 }, context.signal);
    return { status: 200, body: { apiserver: { connectivity: 'ok', version } } };
  } catch (error) {
    throw new StatusError(
      503,
      `the API server does not answer: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
