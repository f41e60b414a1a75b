import { OPTION } from './packet.ts';

export interface RequestFields {
  type: number;
  macAddress: string;
  transactionId?: number;
  clientAddress?: string;
  broadcast?: boolean;
  options?: [number, Buffer][];
}

/** A request as a client sends it. */
export function requestPacket(fields: RequestFields): Buffer {
  const packet = Buffer.alloc(240);
  packet.set([1, 1, 6]);
  packet.writeUInt32BE(fields.transactionId ?? 0x1234, 4);
  packet.writeUInt16BE(fields.broadcast ? 0x8000 : 0, 10);
  packet.set((fields.clientAddress ?? '0.0.0.0').split('.').map(Number), 12);
  packet.set(
    fields.macAddress.split(':').map((byte) => Number.parseInt(byte, 16)),
    28,
  );
  packet.writeUInt32BE(0x63825363, 236);
  const options: [number, Buffer][] = [[OPTION.messageType, Buffer.of(fields.type)], ...(fields.options ?? [])];
  const encoded = options.flatMap(([code, value]) => [Buffer.of(code, value.length), value]);
  return Buffer.concat([packet, Buffer.of(0), ...encoded, Buffer.of(255)]);
}
