import { type Lease, leaseOptions, networkOptions } from './lease.ts';
import { type DhcpReply, type DhcpRequest, MESSAGE, OPTION } from './packet.ts';

const NO_ADDRESS = '0.0.0.0';
const BROADCAST = '255.255.255.255';

export interface Answer {
  reply: DhcpReply;
  /** Address to send it to; 255.255.255.255 must leave through the bridge. */
  to: string;
}

/** What a server of one lease answers; undefined when it has nothing to say (RFC 2131, 4.3). */
export function respond(request: DhcpRequest, lease: Lease): Answer | undefined {
  if (request.macAddress !== lease.macAddress) return undefined;
  switch (request.messageType) {
    case MESSAGE.discover:
      return request.rapidCommit ? grant(request, lease, MESSAGE.ack) : grant(request, lease, MESSAGE.offer);
    case MESSAGE.request:
      return answerRequest(request, lease);
    case MESSAGE.inform:
      return answer(request, lease, MESSAGE.ack, { yourAddress: NO_ADDRESS, options: networkOptions(lease) });
    default:
      // A lease that never ends is neither released nor declined.
      return undefined;
  }
}

function answerRequest(request: DhcpRequest, lease: Lease): Answer | undefined {
  const chosen = request.serverIdentifier;
  if (chosen !== undefined && chosen !== lease.serverAddress) return undefined;
  const wanted = request.requestedAddress ?? request.clientAddress;
  return wanted === lease.guestAddress ? grant(request, lease, MESSAGE.ack) : refuse(request, lease);
}

function grant(request: DhcpRequest, lease: Lease, messageType: number): Answer {
  const rapid: [number, Buffer][] =
    request.rapidCommit && messageType === MESSAGE.ack && request.messageType === MESSAGE.discover
      ? [[OPTION.rapidCommit, Buffer.alloc(0)]]
      : [];
  const options = [...leaseOptions(lease), ...rapid];
  return answer(request, lease, messageType, { yourAddress: lease.guestAddress, options });
}

function refuse(request: DhcpRequest, lease: Lease): Answer {
  const server = networkOptions(lease).slice(0, 1);
  const { reply } = answer(request, lease, MESSAGE.nak, { yourAddress: NO_ADDRESS, options: server });
  // The client believes in another address: only a broadcast reaches it.
  return { reply: { ...reply, bootFileName: undefined }, to: BROADCAST };
}

function answer(
  request: DhcpRequest,
  lease: Lease,
  messageType: number,
  { yourAddress, options }: Pick<DhcpReply, 'yourAddress' | 'options'>,
): Answer {
  const { serverAddress, bootFileName } = lease;
  const reply = { messageType, request, yourAddress, serverAddress, bootFileName, options };
  // A guest without an address does not answer ARP for it yet; and where the pod holds the guest's address too, an answer by
  // unicast would never leave it.
  const reachable = request.clientAddress !== NO_ADDRESS && lease.routing === undefined;
  return { reply, to: reachable ? request.clientAddress : BROADCAST };
}
