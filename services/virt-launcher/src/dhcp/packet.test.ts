import fc from 'fast-check';
import { decodeRequest, encodeReply, MESSAGE, OPTION } from './packet.ts';
import { requestPacket } from './request-packet.testing.ts';

const address = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255))).map((bytes) => bytes.join('.'));
const mac = fc
  .tuple(...Array.from({ length: 6 }, () => fc.nat(255)))
  .map((bytes) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':'));

describe('a DHCP request', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(
        mac,
        address,
        address,
        fc.nat(0xffffffff),
        fc.boolean(),
        (macAddress, wanted, client, id, broadcast) => {
          const packet = requestPacket({
            type: MESSAGE.request,
            macAddress,
            transactionId: id,
            clientAddress: client,
            broadcast,
            options: [[OPTION.requestedAddress, Buffer.from(wanted.split('.').map(Number))]],
          });
          expect(decodeRequest(packet)).toEqual({
            messageType: MESSAGE.request,
            transactionId: id,
            broadcast,
            clientAddress: client,
            macAddress,
            requestedAddress: wanted,
            serverIdentifier: undefined,
            rapidCommit: false,
          });
        },
      ),
    );
  });

  test('that is none is left alone, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => decodeRequest(Buffer.from(bytes)) === undefined),
    );
  });

  test('that was cut anywhere never throws', () => {
    const packet = requestPacket({ type: MESSAGE.discover, macAddress: '52:54:00:00:00:01' });
    for (let length = 0; length <= packet.length; length += 1) {
      expect(() => decodeRequest(packet.subarray(0, length))).not.toThrow();
    }
  });
});

describe('a DHCP reply', () => {
  const request = decodeRequest(requestPacket({ type: MESSAGE.discover, macAddress: '52:54:00:00:00:01' }));

  test('carries a long value in pieces and is never shorter than old clients accept', () => {
    if (request === undefined) throw new Error('no request');
    const long = Buffer.alloc(600, 7);
    const reply = { messageType: MESSAGE.offer, request, yourAddress: '10.0.2.2', serverAddress: '10.0.2.1' };
    const packet = encodeReply({ ...reply, bootFileName: undefined, options: [[224, long]] });
    const lengths = [packet.indexOf(Buffer.of(224, 255)), packet.lastIndexOf(Buffer.of(224, 90))];
    expect(lengths.every((at) => at > 0)).toBe(true);
    expect(encodeReply({ ...reply, bootFileName: undefined, options: [] })).toHaveLength(300);
  });
});
