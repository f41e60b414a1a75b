import { openWebSocket, RefusedError } from '@yagura/streams';
import type { WebSocket } from 'ws';
import type { ClusterAccess } from './access.ts';
import { ConnectionError, KubeError, type Status } from './errors.ts';

const HANDSHAKE_MS = 15_000;

/** A websocket to a path of the API server, paused until somebody listens. Throws KubeError when it was refused. */
export async function openKubeWebSocket(
  access: ClusterAccess,
  path: string,
  protocols: readonly string[],
  label: string,
  signal?: AbortSignal,
): Promise<WebSocket> {
  try {
    return await openWebSocket(access.server.replace(/^http/, 'ws') + path, protocols, {
      headers: await access.authorize(),
      tls: access.tls,
      handshakeMs: HANDSHAKE_MS,
      signal,
    });
  } catch (error) {
    if (error instanceof RefusedError) throw refusal(error, label);
    throw new ConnectionError(label, error);
  }
}

function refusal({ body, status: code }: RefusedError, label: string): KubeError {
  try {
    return new KubeError({ ...(JSON.parse(body) as Status), code }, label);
  } catch {
    return new KubeError({ message: body.trim(), code }, label);
  }
}
