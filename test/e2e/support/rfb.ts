import { bytesOf, type WebSocket } from '@yagura/streams';

/** What comes over a stream, by the number of bytes. */
class Incoming {
  #bytes = Buffer.alloc(0);
  #wake = () => {};

  constructor(socket: WebSocket) {
    socket.on('message', (data) => {
      this.#bytes = Buffer.concat([this.#bytes, bytesOf(data)]);
      this.#wake();
    });
    socket.resume();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}

export interface Framebuffer {
  name: string;
  width: number;
  height: number;
  /** Four bytes a pixel. */
  pixels: Buffer;
}

/** The whole screen, as an RFB 3.8 client gets it (RFC 6143): no authentication, raw encoding, pixels as the server has them. */
export async function framebuffer(socket: WebSocket): Promise<Framebuffer> {
  const incoming = new Incoming(socket);
  const version = (await incoming.take(12)).toString();
  if (!version.startsWith('RFB 003.')) throw new Error(`not a VNC server: ${JSON.stringify(version)}`);
  socket.send('RFB 003.008\n');
  const [count = 0] = await incoming.take(1);
  const types = await incoming.take(count);
  if (!types.includes(1)) throw new Error(`the server asks for authentication: ${[...types].join()}`);
  socket.send(Buffer.of(1));
  const result = (await incoming.take(4)).readUInt32BE();
  if (result !== 0) throw new Error(`security result ${result}`);
  // Shared.
  socket.send(Buffer.of(1));
  const init = await incoming.take(24);
  const [width, height] = [init.readUInt16BE(0), init.readUInt16BE(2)];
  const bytesPerPixel = init.readUInt8(4) / 8;
  const name = (await incoming.take(init.readUInt32BE(20))).toString();
  socket.send(Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]));
  const update = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  update.writeUInt16BE(width, 6);
  update.writeUInt16BE(height, 8);
  socket.send(update);
  const pixels = Buffer.alloc(width * height * 4);
  for (let filled = 0; filled < width * height; ) {
    const header = await incoming.take(4);
    if (header[0] !== 0) throw new Error(`message ${header[0]} instead of an update`);
    for (let rectangles = header.readUInt16BE(2); rectangles > 0; rectangles -= 1) {
      const rectangle = await incoming.take(12);
      const [x, y] = [rectangle.readUInt16BE(0), rectangle.readUInt16BE(2)];
      const [w, h] = [rectangle.readUInt16BE(4), rectangle.readUInt16BE(6)];
      if (rectangle.readInt32BE(8) !== 0 || bytesPerPixel !== 4) throw new Error('not the raw encoding of 32 bits');
      const raw = await incoming.take(w * h * 4);
      for (let row = 0; row < h; row += 1)
        raw.copy(pixels, ((y + row) * width + x) * 4, row * w * 4, (row + 1) * w * 4);
      filled += w * h;
    }
  }
  return { name, width, height, pixels };
}
