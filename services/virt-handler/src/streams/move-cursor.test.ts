import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { moveCursor } from './move-cursor.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A VNC server of 800x600 that answers as QEMU does; answers what it was told after the handshake. */
async function vnc({
  security = [1],
  greeting = 'RFB 003.008\n',
} = {}): Promise<{ socket: Socket; told: () => Buffer }> {
  let told = Buffer.alloc(0);
  const server = createServer((client) => {
    closers.push(() => client.destroy());
    client.on('error', () => {});
    const init = Buffer.alloc(24 + 4);
    init.writeUInt16BE(800, 0);
    init.writeUInt16BE(600, 2);
    init.writeUInt32BE(4, 20);
    const answers = [Buffer.of(security.length, ...security), Buffer.alloc(4), init];
    client.write(greeting);
    client.on('data', (data) => {
      const answer = answers.shift();
      if (answer !== undefined) client.write(answer);
      else {
        told = Buffer.concat([told, data]);
        client.write(Buffer.alloc(20));
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return { socket, told: () => told };
}

test('the pointer goes into the corner and to the middle, and the screen is waited for', async () => {
  const { socket, told } = await vnc();
  await moveCursor(socket);
  expect(told().subarray(0, 12)).toEqual(
    Buffer.from([5, 0, 0, 0, 0, 0, 5, 0, 400 >> 8, 400 & 0xff, 300 >> 8, 300 & 0xff]),
  );
  expect(told().subarray(-10)).toEqual(Buffer.from([3, 1, 0, 0, 0, 0, 800 >> 8, 800 & 0xff, 600 >> 8, 600 & 0xff]));
  expect(socket.destroyed).toBe(true);
});

test.each([
  [{ security: [2] }, 'asks for a password'],
  [{ greeting: 'HTTP/1.1 400' }, 'says "HTTP/1.1 400"'],
])('a server with %j is told as it is', async (server, message) => {
  const { socket } = await vnc(server);
  await expect(moveCursor(socket)).rejects.toThrow(message);
  expect(socket.destroyed).toBe(true);
});

test('a server that says nothing is given up', async () => {
  const { socket } = await vnc({ greeting: '' });
  await expect(moveCursor(socket, { answerMs: 50 })).rejects.toThrow('does not answer in time');
});
