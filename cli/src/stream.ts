import { setTimeout as delay } from 'node:timers/promises';
import { KubeError } from '@yagura/kube';
import { CLOSE, type End, PROTOCOL, type WebSocket } from '@yagura/streams';
import type { CliContext } from './context.ts';
import { subresourcePath } from './subresource.ts';
import type { Target } from './target.ts';

const RETRY_MS = 1000;

/** A stream of a virtual machine instance, paused until somebody listens; `what` as `console` or `portforward/22`. */
export async function openStream(context: CliContext, target: Target, what: string): Promise<WebSocket> {
  const client = await context.client();
  return client.webSocket(subresourcePath('virtualmachineinstances', target, what), [PROTOCOL], context.signal);
}

/** The same, of an instance that may only be starting: it is waited for. */
export async function openStreamOnceRunning(
  context: CliContext,
  target: Target,
  what: string,
  timeoutMs: number,
): Promise<WebSocket> {
  const deadline = Date.now() + timeoutMs;
  for (let waiting = false; ; waiting = true) {
    try {
      return await openStream(context, target, what);
    } catch (error) {
      if (!isStarting(error) || Date.now() > deadline || context.signal.aborted) throw error;
      if (!waiting) context.err(`Waiting for ${target.namespace}/${target.name} to run.\n`);
      await delay(RETRY_MS, undefined, { signal: context.signal }).catch(() => {});
    }
  }
}

function isStarting(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.code === 404 || error.message.endsWith('VMI is not running');
}

/** How a stream ended. */
export async function endOf(socket: WebSocket): Promise<End> {
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }));
  });
}

/** An end that the user did not ask for, as an error; undefined for the ordinary one. */
export function complaint({ code, reason }: End): Error | undefined {
  if (code === CLOSE.normal || code === CLOSE.noStatus) return undefined;
  const why = reason || 'the connection broke; the guest runs on, so try again';
  return new Error(`disconnected: ${why}`);
}
