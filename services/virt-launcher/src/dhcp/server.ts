import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Logger } from '@yagura/runtime';
import type { Lease } from './lease.ts';
import { decodeRequest, encodeReply, MESSAGE } from './packet.ts';
import { respond } from './respond.ts';

const SERVER_PORT = 67;
const CLIENT_PORT = 68;

export interface DhcpPorts {
  server: number;
  client: number;
}

/**
 * Answers DHCP for one lease. Two sockets on one port: the first, on any address, hears the broadcasts of clients that
 * have no address yet; the second, on the bridge's address, hears renewals and sends everything, because the kernel
 * picks the way out of a broadcast by the sender's address.
 */
export class DhcpServer {
  readonly #lease: Lease;
  readonly #log: Logger;
  readonly #onGrant: () => void;
  readonly #ports: DhcpPorts;
  readonly #sockets: Socket[] = [];

  /** `onGrant` is called after each lease that was given or renewed. */
  constructor(
    lease: Lease,
    log: Logger,
    onGrant: () => void,
    ports: DhcpPorts = { server: SERVER_PORT, client: CLIENT_PORT },
  ) {
    this.#lease = lease;
    this.#log = log;
    this.#onGrant = onGrant;
    this.#ports = ports;
  }

  get port(): number {
    return this.#ports.server;
  }

  /** Fails when the bridge has no address yet, or the port may not be bound. */
  async start(): Promise<void> {
    try {
      const bridge = await this.#bind(this.#lease.serverAddress);
      bridge.setBroadcast(true);
      await this.#bind('0.0.0.0');
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sockets.splice(0).map(async (socket) => new Promise<void>((done) => socket.close(done))));
  }

  async #bind(address: string): Promise<Socket> {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    this.#sockets.push(socket);
    socket.on('message', (packet) => this.#answer(packet));
    socket.bind(this.#ports.server, address);
    await once(socket, 'listening');
    socket.on('error', (err) => this.#log.warn({ err, address }, 'DHCP socket error'));
    return socket;
  }

  #answer(packet: Buffer): void {
    const request = decodeRequest(packet);
    const answer = request && respond(request, this.#lease);
    if (answer === undefined) return;
    const { messageType, yourAddress } = answer.reply;
    this.#sockets[0]?.send(encodeReply(answer.reply), this.#ports.client, answer.to, (err) => {
      if (err) this.#log.warn({ err, to: answer.to }, 'DHCP answer not sent');
      else this.#log.debug({ messageType, yourAddress, to: answer.to }, 'DHCP answer sent');
      if (messageType === MESSAGE.ack) this.#onGrant();
    });
  }
}
