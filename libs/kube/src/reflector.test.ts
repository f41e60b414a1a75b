import { KubeClient } from './client.ts';
import { defineResource } from './resources.ts';
import { reflectorContract } from './testing/reflector-contract.ts';
import { WatchServer } from './testing/watch-server.ts';

describe('against an in-process server', () => {
  reflectorContract(async () => {
    const server = new WatchServer();
    const url = await server.listen();
    const namespace = 'contract';
    const access = { server: url, namespace, tls: {}, authorize: () => Promise.resolve({}), refresh() {} };
    return {
      client: new KubeClient(access),
      resource: defineResource('v1', 'ConfigMap', 'configmaps'),
      namespace,
      put: (name, labels) => Promise.resolve(server.put(namespace, name, labels)),
      delete: (name) => Promise.resolve(server.delete(namespace, name)),
      close: () => Promise.resolve(server.close()),
    };
  });
});
