import { isIPv4 } from 'node:net';

// DHCP over BOOTP: RFC 2131 (packet), RFC 2132 (options). Only what a server of one client reads and writes.

export const MESSAGE = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

export const OPTION = {
  subnetMask: 1,
  router: 3,
  domainNameServer: 6,
  hostName: 12,
  domainName: 15,
  interfaceMtu: 26,
  ntpServers: 42,
  requestedAddress: 50,
  leaseTime: 51,
  overload: 52,
  messageType: 53,
  serverIdentifier: 54,
  tftpServerName: 66,
  bootFileName: 67,
  rapidCommit: 80,
  domainSearch: 119,
  classlessStaticRoute: 121,
} as const;

const BOOTREQUEST = 1;
const BOOTREPLY = 2;
const COOKIE = 0x63825363;
const FIXED_LENGTH = 236;
const BROADCAST = 0x8000;
/** Old clients drop shorter packets (RFC 1542, 2.1). */
const MINIMUM_LENGTH = 300;

export interface DhcpRequest {
  messageType: number;
  transactionId: number;
  /** The client cannot take an answer sent to an address that it does not have yet. */
  broadcast: boolean;
  clientAddress: string;
  /** In the form 52:54:00:aa:bb:cc. */
  macAddress: string;
  requestedAddress: string | undefined;
  serverIdentifier: string | undefined;
  rapidCommit: boolean;
}

export interface DhcpReply {
  messageType: number;
  request: DhcpRequest;
  /** 0.0.0.0 when no address is given. */
  yourAddress: string;
  serverAddress: string;
  bootFileName: string | undefined;
  options: readonly (readonly [code: number, value: Buffer])[];
}

/** undefined for whatever is no request of an Ethernet client. */
export function decodeRequest(packet: Buffer): DhcpRequest | undefined {
  if (packet.length < FIXED_LENGTH + 4) return undefined;
  if (packet[0] !== BOOTREQUEST || packet[1] !== 1 || packet[2] !== 6) return undefined;
  if (packet.readUInt32BE(FIXED_LENGTH) !== COOKIE) return undefined;
  const options = decodeOptions(packet.subarray(FIXED_LENGTH + 4));
  const messageType = options.get(OPTION.messageType)?.[0];
  if (messageType === undefined) return undefined;
  return {
    messageType,
    transactionId: packet.readUInt32BE(4),
    broadcast: (packet.readUInt16BE(10) & BROADCAST) !== 0,
    clientAddress: addressText(packet.subarray(12, 16)),
    macAddress: [...packet.subarray(28, 34)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    requestedAddress: address(options.get(OPTION.requestedAddress)),
    serverIdentifier: address(options.get(OPTION.serverIdentifier)),
    rapidCommit: options.has(OPTION.rapidCommit),
  };
}

function decodeOptions(bytes: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  let at = 0;
  while (at < bytes.length) {
    const code = bytes[at] ?? 255;
    if (code === 255) break;
    if (code === 0) {
      at += 1;
      continue;
    }
    const length = bytes[at + 1];
    if (length === undefined || at + 2 + length > bytes.length) break;
    options.set(code, bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return options;
}

export function encodeReply(reply: DhcpReply): Buffer {
  const { request } = reply;
  const fixed = Buffer.alloc(FIXED_LENGTH + 4);
  fixed[0] = BOOTREPLY;
  fixed[1] = 1;
  fixed[2] = 6;
  fixed.writeUInt32BE(request.transactionId, 4);
  fixed.writeUInt16BE(request.broadcast ? BROADCAST : 0, 10);
  // A NAK leaves all addresses empty, and the boot server is only told with a lease.
  fixed.set(addressBytes(reply.messageType === MESSAGE.nak ? '0.0.0.0' : request.clientAddress), 12);
  fixed.set(addressBytes(reply.yourAddress), 16);
  fixed.set(addressBytes(reply.messageType === MESSAGE.nak ? '0.0.0.0' : reply.serverAddress), 20);
  fixed.set(
    request.macAddress.split(':').map((byte) => Number.parseInt(byte, 16)),
    28,
  );
  fixed.write((reply.bootFileName ?? '').slice(0, 127), 108, 'latin1');
  fixed.writeUInt32BE(COOKIE, FIXED_LENGTH);
  const options = [[OPTION.messageType, Buffer.of(reply.messageType)] as const, ...reply.options];
  const encoded = Buffer.concat([...options.flatMap(([code, value]) => encodeOption(code, value)), Buffer.of(255)]);
  const packet = Buffer.concat([fixed, encoded]);
  return packet.length >= MINIMUM_LENGTH
    ? packet
    : Buffer.concat([packet, Buffer.alloc(MINIMUM_LENGTH - packet.length)]);
}

/** A value over 255 bytes is split over options of the same code (RFC 3396). */
function encodeOption(code: number, value: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < value.length; at += 255) {
    const part = value.subarray(at, at + 255);
    parts.push(Buffer.of(code, part.length), part);
  }
  return parts;
}

export function addressBytes(text: string): Buffer {
  if (!isIPv4(text)) throw new Error(`"${text}" is not an IPv4 address`);
  return Buffer.from(text.split('.').map(Number));
}

function addressText(bytes: Buffer): string {
  return [...bytes].join('.');
}

function address(bytes: Buffer | undefined): string | undefined {
  return bytes?.length === 4 ? addressText(bytes) : undefined;
}
