import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Logger } from '@yagura/runtime';
import { MESSAGE, OPTION } from './packet.ts';
import { requestPacket } from './request-packet.testing.ts';
import { DhcpServer } from './server.ts';

const log = { warn: () => {}, debug: () => {} } as unknown as Logger;
const lease = {
  macAddress: '52:54:00:aa:bb:cc',
  serverAddress: '127.0.0.1',
  guestAddress: '127.0.0.2',
  prefixLength: 8,
  dnsServers: [],
  searchDomains: [],
  ntpServers: [],
  privateOptions: {},
};

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((done) => socket.close(done));
  return port;
}

describe('the DHCP server', () => {
  test('answers over the network, from the address of the bridge', async () => {
    const client = createSocket('udp4');
    client.bind(0, lease.guestAddress);
    await once(client, 'listening');
    const server = new DhcpServer(lease, log, () => {}, { server: await freePort(), client: client.address().port });
    await server.start();
    try {
      const heard = once(client, 'message');
      const { macAddress, guestAddress: clientAddress } = lease;
      const renewal = requestPacket({ type: MESSAGE.request, macAddress, clientAddress });
      client.send(renewal, server.port, '127.0.0.1');
      const [packet, from] = (await heard) as [Buffer, { address: string; port: number }];
      expect(packet.includes(Buffer.of(OPTION.messageType, 1, MESSAGE.ack))).toBe(true);
      expect(from).toMatchObject({ address: '127.0.0.1', port: server.port });
    } finally {
      await server.stop();
      await new Promise<void>((done) => client.close(done));
    }
  });

  test('says why it cannot start on an address that is not there', async () => {
    const server = new DhcpServer({ ...lease, serverAddress: '192.0.2.1' }, log, () => {}, {
      server: await freePort(),
      client: 1,
    });
    await expect(server.start()).rejects.toThrow('EADDRNOTAVAIL');
  });
});
