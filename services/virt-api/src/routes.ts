import type { ClusterConfig } from '@yagura/api';
import type { KubeClient } from '@yagura/kube';
import type { AsyncWebhook, Webhook } from './admission/review.ts';
import { addWebhooks } from './admission/routes.ts';
import { type GuardOptions, guarded, type UserHandler } from './auth/guard.ts';
import type { HandlerClient } from './handler/handler-client.ts';
import type { Router } from './http/router.ts';
import { deviceCall } from './streams/device-call.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import { portForwardCall } from './streams/port-forward.ts';
import { clusterCalls } from './subresources/cluster-calls.ts';
import { apiGroup, apiGroupList, apiResourceList } from './subresources/discovery.ts';
import { expandSpecCall, expandVmSpecCall } from './subresources/expand.ts';
import { layersCall } from './subresources/layers-call.ts';
import { openApiV2, openApiV3, openApiV3Index } from './subresources/openapi.ts';
import { GROUP, pathsOf, SUBRESOURCES, type Subresource, type SubresourceKey, VERSIONS } from './subresources/table.ts';
import { timelineCall } from './subresources/timeline-call.ts';
import { vmCalls } from './subresources/vm-calls.ts';
import { commandCall, guestCall, screenshotCall } from './subresources/vmi-calls.ts';
import type { Handlers } from './subresources/vmi-request.ts';
import { volumeCall } from './subresources/volume-calls.ts';

export interface RouteOptions {
  client: Pick<KubeClient, 'get' | 'list' | 'patch' | 'request' | 'dated'>;
  handlers: Handlers & Pick<HandlerClient, 'stream' | 'nodes'>;
  streams: OpenStreams;
  /** Of the installation. */
  namespace: string;
  config: () => ClusterConfig;
  frontProxy: GuardOptions['config'];
  webhooks: Readonly<Record<string, Webhook | AsyncWebhook>>;
}

type Call = UserHandler;

/** Everything that virt-api answers besides its operations endpoint. */
export function addRoutes(router: Router, options: RouteOptions): void {
  const { client, handlers, streams } = options;
  const guard = { client, config: options.frontProxy };
  const vm = vmCalls(client);
  const device = { client, handlers, streams };
  const calls: Record<SubresourceKey, Call> = {
    'virtualmachines/start': vm.start,
    'virtualmachines/stop': vm.stop,
    'virtualmachines/restart': vm.restart,
    'virtualmachines/expand-spec': expandSpecCall(client),
    'virtualmachines/portforward': portForwardCall({ client, streams }, 'vm'),
    'virtualmachines/addvolume': volumeCall(client, options.config, 'vm', 'addvolume'),
    'virtualmachines/removevolume': volumeCall(client, options.config, 'vm', 'removevolume'),
    'virtualmachineinstances/addvolume': volumeCall(client, options.config, 'vmi', 'addvolume'),
    'virtualmachineinstances/removevolume': volumeCall(client, options.config, 'vmi', 'removevolume'),
    'virtualmachineinstances/pause': commandCall(client, handlers, 'pause'),
    'virtualmachineinstances/unpause': commandCall(client, handlers, 'unpause'),
    'virtualmachineinstances/softreboot': commandCall(client, handlers, 'softreboot'),
    'virtualmachineinstances/reset': commandCall(client, handlers, 'reset'),
    'virtualmachineinstances/freeze': commandCall(client, handlers, 'freeze'),
    'virtualmachineinstances/unfreeze': commandCall(client, handlers, 'unfreeze'),
    'virtualmachineinstances/console': deviceCall(device, 'console'),
    'virtualmachineinstances/vnc': deviceCall(device, 'vnc'),
    'virtualmachineinstances/vnc/screenshot': screenshotCall(client, handlers),
    'virtualmachineinstances/portforward': portForwardCall({ client, streams }, 'vmi'),
    'virtualmachineinstances/guestosinfo': guestCall(client, handlers, 'guestosinfo'),
    'virtualmachineinstances/userlist': guestCall(client, handlers, 'userlist'),
    'virtualmachineinstances/filesystemlist': guestCall(client, handlers, 'filesystemlist'),
    'virtualmachineinstances/layers': layersCall({ client, handlers, namespace: options.namespace }),
    'virtualmachineinstances/timeline': timelineCall(client, handlers),
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
    for (const [name, call] of Object.entries(clusterCalls(client))) router.add('GET', `${root}/${name}`, call);
    router.add('PUT', `${root}/namespaces/:namespace/expand-vm-spec`, guarded(guard, expandVmSpecCall));
    for (const subresource of SUBRESOURCES as readonly Subresource[]) {
      const { resource, name, method } = subresource;
      const call = guarded(guard, calls[`${resource}/${name}` as SubresourceKey], name);
      for (const path of pathsOf(subresource)) router.add(method, `${root}/${path}`, call);
    }
  }
  addWebhooks(router, options.webhooks);
}
