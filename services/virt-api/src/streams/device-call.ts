import { CLOSE, keepAlive, RefusedError, relay, type WebSocket } from '@yagura/streams';
import type { User } from '../auth/request-header.ts';
import type { HandlerClient } from '../handler/handler-client.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import { badRequest, StatusError } from '../http/status.ts';
import { checkConsole, checkVnc } from '../subresources/check.ts';
import type { Vmi } from '../subresources/objects.ts';
import type { ObjectClient } from '../subresources/vm-calls.ts';
import { fetchVmi, messageOf, nodeOf, refused, targetOf } from '../subresources/vmi-request.ts';
import type { OpenStreams } from './open-streams.ts';

export type StreamCall = (context: RequestContext, user: User) => Promise<Reply>;

export interface DeviceOptions {
  client: Pick<ObjectClient, 'get'>;
  handlers: Pick<HandlerClient, 'stream'>;
  streams: OpenStreams;
}

const CHECKS = { console: checkConsole, vnc: checkVnc };

/** GET console and vnc: the client's websocket joined to one of the node's virt-handler. */
export function deviceCall({ client, handlers, streams }: DeviceOptions, device: keyof typeof CHECKS): StreamCall {
  return async (context, user) => {
    const vmi = await fetchVmi(client, context);
    CHECKS[device](vmi);
    const upgrade = requireUpgrade(context);
    const node = nodeOf(vmi);
    const preserve = device === 'vnc' && context.query.get('preserveSession') === 'true';
    const path = `${device}${preserve ? '?preserveSession=true' : ''}`;
    const { signal } = context;
    // The handler first: as long as it may refuse, the client can be told in an HTTP status.
    const backend = await handlers.stream(node, targetOf(context), path, user.username, signal).catch((error) => {
      throw error instanceof RefusedError ? refusedStream(vmi, error) : error;
    });
    const socket = await upgrade().catch((error: unknown) => {
      backend.terminate();
      throw error;
    });
    streams.add(device, targetOf(context), socket);
    keepAlive(socket);
    keepAlive(backend);
    const reason = `the connection to virt-handler on node ${node} broke; connect again`;
    relay(socket, backend, () => ({ code: CLOSE.internalError, reason }));
    return { status: 101 };
  };
}

/** What makes the client's connection a websocket; whoever asked for none is told. */
export function requireUpgrade({ upgrade }: RequestContext): () => Promise<WebSocket> {
  if (upgrade === undefined)
    throw badRequest(
      'the client is not using the websocket protocol: this is a stream of subprotocol plain.kubevirt.io',
    );
  return upgrade;
}

/** That a session is there to be preserved is told as it is; clients know the words. */
function refusedStream(vmi: Vmi, { status, body }: RefusedError): StatusError {
  const text = messageOf({ body });
  return text.startsWith('Active VNC connection') ? new StatusError(status, text) : refused(vmi, { status, body });
}
