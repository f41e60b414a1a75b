import { controllerOf, isNotFound, type KubeClient, Pods } from '@yagura/kube';
import { sleep } from '@yagura/runtime';
import { CLOSE, closeWith, keepAlive, type WebSocket } from '@yagura/streams';
import type { RequestContext } from '../http/router.ts';
import { badRequest, internalError, notFound } from '../http/status.ts';
import { checkPortForward } from '../subresources/check.ts';
import { isFinal, VirtualMachineInstances, VirtualMachines, type Vmi, vmSubject } from '../subresources/objects.ts';
import { absent, type ObjectClient } from '../subresources/vm-calls.ts';
import { fetchVmi, targetOf } from '../subresources/vmi-request.ts';
import { requireUpgrade, type StreamCall } from './device-call.ts';
import { dialTcp, dialUdp, type Tunnel } from './dial.ts';
import type { OpenStreams } from './open-streams.ts';
import { type AddressedPod, checkAddressOfPod } from './pod-addresses.ts';

export interface PortForwardOptions {
  client: Pick<ObjectClient, 'get'> & Pick<KubeClient, 'list'>;
  streams: OpenStreams;
  /** How often it is looked whether the guest is still there: the end of a pod says nothing on its connections. */
  lookMs?: number;
}

const LOOK_MS = 10_000;
const DIALS: Readonly<Record<string, (host: string, port: number, signal: AbortSignal) => Promise<Tunnel>>> = {
  tcp: dialTcp,
  udp: dialUdp,
};

/** GET portforward/{port}[/{protocol}] of a VMI, or of a VM with the same name: the websocket ends here. */
export function portForwardCall(options: PortForwardOptions, resource: 'vm' | 'vmi'): StreamCall {
  const { client, streams, lookMs = LOOK_MS } = options;
  return async (context) => {
    const { port, dial } = askedFor(context);
    if (resource === 'vm' && (await client.get(VirtualMachines, targetOf(context)).catch(absent)) === undefined)
      throw notFound(vmSubject(targetOf(context).name));
    const vmi = await fetchVmi(client, context);
    const address = checkPortForward(vmi);
    const upgrade = requireUpgrade(context);
    checkAddressOfPod(address, await launcherPods(client, vmi, context.signal));
    const tunnel = await dial(address, port, context.signal).catch((error: Error) => {
      throw internalError(`dialing VM: ${error.message}`);
    });
    const socket = await upgrade().catch((error: unknown) => {
      tunnel.close();
      throw error;
    });
    streams.add('portforward', targetOf(context), socket);
    keepAlive(socket);
    tunnel.join(socket);
    void endWithGuest(client, vmi, socket, lookMs);
    return { status: 101 };
  };
}

async function launcherPods(client: PortForwardOptions['client'], vmi: Vmi, signal: AbortSignal) {
  const { uid, namespace = '' } = vmi.metadata ?? {};
  const labelSelector = `kubevirt.io=virt-launcher,kubevirt.io/created-by=${uid}`;
  const { items } = await client.list(Pods, { namespace, labelSelector }, signal);
  // Anybody who makes pods can make one with these labels.
  return (items as AddressedPod[]).filter((pod) => controllerOf(pod)?.uid === uid);
}

function askedFor({ params }: RequestContext) {
  const text = params['port'] ?? '';
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw badRequest(`port must be a number from 1 to 65535, not "${text}"`);
  const protocol = params['protocol'] ?? 'tcp';
  const dial = DIALS[protocol];
  if (dial === undefined) throw badRequest(`protocol must be tcp or udp, not "${protocol}"`);
  return { port, dial };
}

async function endWithGuest(client: PortForwardOptions['client'], vmi: Vmi, socket: WebSocket, lookMs: number) {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  const { namespace = '', name = '', uid } = vmi.metadata ?? {};
  while (!closed.signal.aborted) {
    await sleep(lookMs, closed.signal);
    if (closed.signal.aborted) return;
    // An API server that does not answer says nothing about the guest.
    const gone = await client.get(VirtualMachineInstances, { namespace, name }).then(
      (now) => now.metadata?.uid !== uid || isFinal(now),
      (error: unknown) => isNotFound(error),
    );
    if (gone) closeWith(socket, { code: CLOSE.normal, reason: 'the virtual machine has ended' });
  }
}
