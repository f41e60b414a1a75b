import type { MessageInitShape } from '@bufbuild/protobuf';
import { addService, createServer, listenUnix, shutdownServer } from '@yagura/contracts';
import {
  type AllocateResponseSchema,
  DevicePlugin,
  type ListAndWatchResponseSchema,
} from '@yagura/contracts/device-plugin';
import type { DeviceResource } from './catalog.ts';

type Devices = MessageInitShape<typeof ListAndWatchResponseSchema>;
type Allocation = MessageInitShape<typeof AllocateResponseSchema>;

/** The whole list of one resource, each share healthy or none at all. */
export function deviceList(resource: Pick<DeviceResource, 'name' | 'count'>, available: boolean): Devices {
  const short = resource.name.slice(resource.name.indexOf('/') + 1);
  if (!available) return { devices: [] };
  return { devices: Array.from({ length: resource.count }, (_, i) => ({ ID: `${short}${i}`, health: 'Healthy' })) };
}

/** What each container gets that asked for shares of the resource; one grant, however many shares. */
export function allocation(resource: Pick<DeviceResource, 'grant'>, containers: number): Allocation {
  const { devices, mounts } = resource.grant;
  return {
    containerResponses: Array.from({ length: containers }, () => ({
      devices: devices.map(({ path, permissions }) => ({ hostPath: path, containerPath: path, permissions })),
      mounts: mounts.map((mount) => ({ ...mount, readOnly: true })),
    })),
  };
}

export interface PluginServer {
  /** Called when the node may have gained or lost the device; a change reaches the kubelet. */
  refresh(): Promise<void>;
  /** Whether a kubelet is listening to the list. */
  watched(): boolean;
  close(): Promise<void>;
}

/** Serves the kubelet's device plugin API for one resource on a socket. */
export async function servePlugin(resource: DeviceResource, socketPath: string): Promise<PluginServer> {
  let available = await resource.available();
  let closing = false;
  const watchers = new Set<() => void>();
  const server = createServer();
  addService(server, DevicePlugin, {
    getDevicePluginOptions: async () => ({}),
    async *listAndWatch(_request, { signal }) {
      for (;;) {
        const change = Promise.withResolvers<void>();
        watchers.add(change.resolve);
        signal.addEventListener('abort', () => change.resolve(), { once: true });
        try {
          yield deviceList(resource, available);
          await change.promise;
        } finally {
          watchers.delete(change.resolve);
        }
        if (signal.aborted || closing) return;
      }
    },
    getPreferredAllocation: async () => ({}),
    allocate: async (request) => allocation(resource, request.containerRequests.length),
    preStartContainer: async () => ({}),
  });
  await listenUnix(server, socketPath, 0o600);
  return {
    refresh: async () => {
      const now = await resource.available();
      if (now === available) return;
      available = now;
      for (const wake of [...watchers]) wake();
    },
    watched: () => watchers.size > 0,
    close: async () => {
      // A stream that the kubelet keeps open would keep the server open.
      closing = true;
      for (const wake of [...watchers]) wake();
      await shutdownServer(server, 100);
    },
  };
}
