import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { connectUnix } from '@yagura/contracts';
import { Registration } from '@yagura/contracts/device-plugin';
import { errorMessage, type Logger, Pause } from '@yagura/runtime';
import type { DeviceResource } from './catalog.ts';
import { type PluginServer, servePlugin } from './plugin-server.ts';

const KUBELET_SOCKET = 'kubelet.sock';
const API_VERSION = 'v1beta1';
/** Devices may come and go with modules; a kubelet whose directory event was missed is found again. */
const CHECK_MS = 5_000;
const RETRY_MS = 1_000;

interface Plugin {
  resource: DeviceResource;
  endpoint: string;
  server: PluginServer | undefined;
  /** Inode of the kubelet's socket that the resource was last registered with. */
  registeredWith: string | undefined;
}

/** Offers the node's devices to its kubelet, and does so again whenever the kubelet has been started anew. */
export class DevicePlugins {
  readonly #directory: string;
  readonly #plugins: Plugin[];
  readonly #log: Logger;

  constructor(directory: string, resources: DeviceResource[], log: Logger) {
    this.#directory = directory;
    this.#log = log;
    this.#plugins = resources.map((resource) => ({
      resource,
      endpoint: `yagura-${resource.name.replaceAll(/[^a-z0-9]+/gi, '-')}.sock`,
      server: undefined,
      registeredWith: undefined,
    }));
  }

  /** What is not registered, for the node's heartbeat: undefined when the kubelet knows all resources. */
  unregistered(): string | undefined {
    const missing = this.#plugins.filter(({ registeredWith, server }) => !registeredWith || !server);
    if (missing.length === 0) return undefined;
    return `not registered with the kubelet: ${missing.map(({ resource }) => resource.name).join(', ')}`;
  }

  /** Serves and registers until the signal aborts. */
  async run(signal: AbortSignal, onRegistered: () => void = () => {}): Promise<void> {
    const pause = new Pause(signal);
    const watcher = this.#watch(signal, () => pause.wake());
    try {
      while (!signal.aborted) {
        const before = this.unregistered();
        for (const plugin of this.#plugins) {
          try {
            await this.#ensure(plugin);
          } catch (error) {
            plugin.registeredWith = undefined;
            this.#log.warn(
              { resource: plugin.resource.name, reason: errorMessage(error) },
              'device plugin not registered',
            );
          }
        }
        if (before !== undefined && this.unregistered() === undefined) onRegistered();
        await pause.wait(this.unregistered() === undefined ? CHECK_MS : RETRY_MS);
      }
    } finally {
      watcher?.close();
      await Promise.all(this.#plugins.map(async ({ server }) => server?.close()));
    }
  }

  /** A kubelet that starts removes all sockets in its directory, ours too, and makes its own anew. */
  async #ensure(plugin: Plugin): Promise<void> {
    const socket = join(this.#directory, plugin.endpoint);
    const kubelet = await inode(join(this.#directory, KUBELET_SOCKET));
    if (kubelet === undefined) {
      plugin.registeredWith = undefined;
      throw new Error(`no kubelet listens on ${join(this.#directory, KUBELET_SOCKET)}`);
    }
    if (plugin.server !== undefined && (await inode(socket)) === undefined) {
      await plugin.server.close();
      plugin.server = undefined;
      plugin.registeredWith = undefined;
    }
    plugin.server ??= await servePlugin(plugin.resource, socket);
    await plugin.server.refresh();
    if (plugin.registeredWith === kubelet) return;
    const connection = connectUnix(Registration, join(this.#directory, KUBELET_SOCKET));
    try {
      await connection.calls.register({
        version: API_VERSION,
        endpoint: plugin.endpoint,
        resourceName: plugin.resource.name,
        options: {},
      });
    } finally {
      connection.close();
    }
    plugin.registeredWith = kubelet;
    this.#log.info({ resource: plugin.resource.name }, 'device plugin registered');
  }

  #watch(signal: AbortSignal, onChange: () => void) {
    try {
      return watch(this.#directory, { signal }, onChange).on('error', () => {});
    } catch {
      // Without the directory the check every few seconds will find it.
      return undefined;
    }
  }
}

/** Identity of a file that is made anew under the same name; undefined when there is none. */
async function inode(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino, ctimeNs }) => `${ino}-${ctimeNs}`,
    () => undefined,
  );
}
