import type { Lease } from './lease.ts';
import { decodeRequest, encodeReply, MESSAGE, OPTION } from './packet.ts';
import { type RequestFields, requestPacket } from './request-packet.testing.ts';
import { respond } from './respond.ts';

const MAC = '52:54:00:aa:bb:cc';
const LEASE: Lease = {
  macAddress: MAC,
  serverAddress: '10.0.2.1',
  guestAddress: '10.0.2.2',
  prefixLength: 24,
  mtu: 1450,
  dnsServers: ['10.96.0.10', 'fd00::10'],
  searchDomains: ['default.svc.cluster.local', 'svc.cluster.local'],
  hostname: 'demo',
  ntpServers: ['10.0.0.1'],
  tftpServerName: 'tftp',
  bootFileName: 'pxe',
  privateOptions: { 240: 'secret', 12: 'no' },
};
const bytes = (address: string) => Buffer.from(address.split('.').map(Number));

function ask(fields: Omit<RequestFields, 'macAddress'> & { macAddress?: string }) {
  const request = decodeRequest(requestPacket({ macAddress: MAC, ...fields }));
  if (request === undefined) throw new Error('not a request');
  return respond(request, LEASE);
}

describe('the server of one lease', () => {
  test.each<[what: string, fields: Parameters<typeof ask>[0], type: number, yours: string, to: string]>([
    ['offers it', { type: MESSAGE.discover }, MESSAGE.offer, '10.0.2.2', '255.255.255.255'],
    [
      'grants it at once to who can take that',
      { type: MESSAGE.discover, options: [[OPTION.rapidCommit, Buffer.alloc(0)]] },
      MESSAGE.ack,
      '10.0.2.2',
      '255.255.255.255',
    ],
    [
      'grants it',
      {
        type: MESSAGE.request,
        options: [
          [OPTION.requestedAddress, bytes('10.0.2.2')],
          [OPTION.serverIdentifier, bytes('10.0.2.1')],
        ],
      },
      MESSAGE.ack,
      '10.0.2.2',
      '255.255.255.255',
    ],
    [
      'renews it where the client is',
      { type: MESSAGE.request, clientAddress: '10.0.2.2' },
      MESSAGE.ack,
      '10.0.2.2',
      '10.0.2.2',
    ],
    [
      'refuses another address by broadcast',
      { type: MESSAGE.request, options: [[OPTION.requestedAddress, bytes('192.168.0.9')]] },
      MESSAGE.nak,
      '0.0.0.0',
      '255.255.255.255',
    ],
    [
      'informs without giving an address',
      { type: MESSAGE.inform, clientAddress: '10.0.2.7' },
      MESSAGE.ack,
      '0.0.0.0',
      '10.0.2.7',
    ],
  ])('%s', (_, fields, type, yours, to) => {
    const answer = ask(fields);
    expect(answer?.to).toBe(to);
    expect(answer?.reply).toMatchObject({ messageType: type, yourAddress: yours });
  });

  test.each<[what: string, fields: Parameters<typeof ask>[0]]>([
    ['the guest of another MAC address', { type: MESSAGE.discover, macAddress: '52:54:00:00:00:01' }],
    ['a request to another server', { type: MESSAGE.request, options: [[OPTION.serverIdentifier, bytes('10.0.2.9')]] }],
    ['a release', { type: MESSAGE.release, clientAddress: '10.0.2.2' }],
    ['a decline', { type: MESSAGE.decline }],
  ])('says nothing to %s', (_, fields) => {
    expect(ask(fields)).toBeUndefined();
  });

  test('tells everything of the network, and a lease without end', () => {
    const options = new Map(ask({ type: MESSAGE.discover })?.reply.options);
    const text = (code: number) => options.get(code)?.toString('latin1');
    expect(options.get(OPTION.leaseTime)).toEqual(Buffer.from([255, 255, 255, 255]));
    expect(options.get(OPTION.subnetMask)).toEqual(bytes('255.255.255.0'));
    expect(options.get(OPTION.router)).toEqual(bytes('10.0.2.1'));
    expect(options.get(OPTION.domainNameServer)).toEqual(bytes('10.96.0.10'));
    expect(options.get(OPTION.ntpServers)).toEqual(bytes('10.0.0.1'));
    expect(options.get(OPTION.interfaceMtu)).toEqual(Buffer.from([0x05, 0xaa]));
    expect(text(OPTION.hostName)).toBe('demo');
    expect(text(OPTION.domainName)).toBe('default.svc.cluster.local');
    expect(text(OPTION.domainSearch)).toBe('\x07default\x03svc\x07cluster\x05local\x00\x03svc\x07cluster\x05local\x00');
    expect(text(OPTION.tftpServerName)).toBe('tftp');
    expect(text(OPTION.bootFileName)).toBe('pxe');
    expect(text(240)).toBe('secret');
  });

  test('writes the answer into a packet for the client that asked', () => {
    const answer = ask({ type: MESSAGE.discover, transactionId: 0xcafe });
    if (answer === undefined) throw new Error('no answer');
    const packet = encodeReply(answer.reply);
    expect(packet.readUInt32BE(4)).toBe(0xcafe);
    expect(packet.subarray(16, 20)).toEqual(bytes('10.0.2.2'));
    expect(packet.subarray(28, 34).toString('hex')).toBe('525400aabbcc');
  });

  const routed = (routing: Lease['routing'], prefixLength = 24) => {
    const request = decodeRequest(requestPacket({ macAddress: MAC, type: MESSAGE.discover }));
    if (request === undefined) throw new Error('not a request');
    return respond(request, { ...LEASE, prefixLength, ...(routing ? { routing } : {}) });
  };
  const optionsOf = (answer: ReturnType<typeof routed>) => new Map(answer?.reply.options);

  test('broadcasts what it tells a guest on the pod’s own network, with that network’s router', () => {
    const answer = routed({ router: '10.0.2.254', routes: [] });
    expect(answer?.to).toBe('255.255.255.255');
    expect(optionsOf(answer).get(OPTION.router)).toEqual(bytes('10.0.2.254'));
    expect(optionsOf(answer).has(OPTION.classlessStaticRoute)).toBe(false);
  });

  test('names no router where the network has none', () => {
    expect(optionsOf(routed({ routes: [] })).has(OPTION.router)).toBe(false);
  });

  test('tells routes, and then the default one with them', () => {
    const routes = [{ destination: '10.244.0.0/16', gateway: '10.0.2.1' }];
    expect(optionsOf(routed({ router: '10.0.2.1', routes })).get(OPTION.classlessStaticRoute)).toEqual(
      Buffer.from([16, 10, 244, 10, 0, 2, 1, 0, 10, 0, 2, 1]),
    );
  });

  test.each([[[]], [[{ destination: '169.254.1.1/32', gateway: '0.0.0.0' }]]])(
    'tells how a router outside of the network is reached, once: %j',
    (routes) => {
      expect(optionsOf(routed({ router: '169.254.1.1', routes }, 32)).get(OPTION.classlessStaticRoute)).toEqual(
        Buffer.from([32, 169, 254, 1, 1, 0, 0, 0, 0, 0, 169, 254, 1, 1]),
      );
    },
  );
});
