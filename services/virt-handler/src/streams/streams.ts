import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isFinal } from '@yagura/api';
import { acceptWebSocket, type End, isUpgrade, joinSocket, keepAlive } from '@yagura/streams';
import type { PodPaths } from '../pod/paths.ts';
import { HttpError } from '../rest/errors.ts';
import type { Instance, Instances } from '../rest/instances.ts';
import { parsePath } from '../rest/path.ts';
import { DEVICES, type Device, whyClosed } from './devices.ts';
import { connectGuestSocket, NoSocketError } from './guest-socket.ts';
import { moveCursor } from './move-cursor.ts';
import { Sessions } from './sessions.ts';

/** Set by virt-api, percent-encoded: whom it has authenticated. */
const USER_HEADER = 'x-remote-user';

export interface StreamsParts {
  instances: Pick<Instances, 'find'>;
  paths: PodPaths;
}

/** The streams of this node's guests: serial console and VNC. */
export class Streams {
  readonly #parts: StreamsParts;
  readonly #sessions = new Sessions();

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  /** Answers an upgrade; throws while the client can still be told by an HTTP status. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://localhost');
    const { namespace, name, action } = parsePath(url.pathname);
    const device = DEVICES[action];
    if (device === undefined) throw new HttpError(404, `${action} is no stream`);
    // QEMU serves one client a device: it is not connected to for one that cannot become a websocket.
    if (!isUpgrade(request)) throw new HttpError(400, `${action} is a stream for clients of the websocket protocol`);
    const instance = this.#parts.instances.find(namespace, name);
    const key = `${instance.vmi.metadata.uid}/${action}`;
    if (url.searchParams.get('preserveSession') === 'true' && this.#sessions.has(key))
      throw new HttpError(503, 'Active VNC connection. Request denied.');
    const stream = await this.#connect(instance, device);
    const client = await acceptWebSocket(request, socket, head).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
    keepAlive(client);
    this.#sessions.take(key, { user: userOf(request), socket: client, stream });
    joinSocket(client, stream, { onEnd: async () => whyClosed(device, () => this.#look(instance)) });
  }

  /** Wakes the screen of a guest, beside whoever looks at it. */
  async moveCursor(instance: Instance): Promise<void> {
    await moveCursor(await this.#connect(instance, DEVICES['vnc'] as Device));
  }

  closeAll(why: End): void {
    this.#sessions.closeAll(why);
  }

  async #connect({ vmi, pod }: Instance, device: Device) {
    const { namespace, name, uid = '' } = vmi.metadata;
    if (isFinal(vmi)) throw new HttpError(409, `VirtualMachineInstance ${namespace}/${name} has ended`);
    const podUid = pod?.metadata.uid;
    if (podUid === undefined)
      throw new HttpError(503, `VirtualMachineInstance ${namespace}/${name} has no launcher on this node`);
    try {
      return await connectGuestSocket(this.#parts.paths.emptyDir(podUid, 'private'), uid, device.socket);
    } catch (error) {
      if (error instanceof NoSocketError) throw new HttpError(400, error.message, { cause: error });
      throw error;
    }
  }

  /** The same run of the instance as it is now. */
  #look({ vmi }: Instance): Instance | undefined {
    try {
      const now = this.#parts.instances.find(vmi.metadata.namespace ?? '', vmi.metadata.name ?? '');
      return now.vmi.metadata.uid === vmi.metadata.uid ? now : undefined;
    } catch {
      return undefined;
    }
  }
}

function userOf({ headers }: IncomingMessage): string | undefined {
  const header = headers[USER_HEADER];
  try {
    return typeof header === 'string' && header !== '' ? decodeURIComponent(header) : undefined;
  } catch {
    return undefined;
  }
}
