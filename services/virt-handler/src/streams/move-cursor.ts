import { once } from 'node:events';
import type { Socket } from 'node:net';
import { sleep } from '@yagura/runtime';

/** QEMU answers at once, whatever its guest does. */
const ANSWER_MS = 3_000;
/** A screen that was asleep is drawn within so long, or it shows what it did before. */
const REACTION_MS = 500;

/** RFC 6143 */
const VERSION = 'RFB 003.008\n';
const NO_SECURITY = 1;
const SHARED = 1;
const SERVER_INIT_BYTES = 24;
/** A QEMU that a guest has taken over may send anything; more than this is not kept. */
const MOST_BYTES = 64 * 1024;

/**
 * Moves the guest's pointer into the corner and back to the middle of its screen, as a further client of its VNC server, and
 * waits until QEMU has passed that on and the screen has changed, or does not. Ends the connection.
 */
export async function moveCursor(
  socket: Socket,
  { answerMs = ANSWER_MS, reactionMs = REACTION_MS } = {},
): Promise<void> {
  const deadline = AbortSignal.timeout(answerMs);
  try {
    const take = reader(socket, deadline);
    const version = (await take(VERSION.length)).toString('latin1');
    if (!version.startsWith('RFB 003.')) throw new Error(`the guest's VNC server says ${JSON.stringify(version)}`);
    socket.write(VERSION);
    const types = await take((await take(1)).readUInt8());
    if (!types.includes(NO_SECURITY)) throw new Error("the guest's VNC server asks for a password");
    socket.write(Buffer.of(NO_SECURITY));
    if ((await take(4)).readUInt32BE() !== 0) throw new Error("the guest's VNC server refuses a client");
    socket.write(Buffer.of(SHARED));
    const init = await take(SERVER_INIT_BYTES);
    const nameBytes = init.readUInt32BE(SERVER_INIT_BYTES - 4);
    if (nameBytes > MOST_BYTES) throw new Error(`the guest's VNC server has a name of ${nameBytes} bytes`);
    await take(nameBytes);
    const [width, height] = [init.readUInt16BE(0), init.readUInt16BE(2)];
    // The first part of the screen is sent when everything before has been worked off.
    socket.write(Buffer.concat([pointerAt(0, 0), pointerAt(width >> 1, height >> 1), updateOf(1, 1, false)]));
    await take(4);
    socket.write(updateOf(width, height, true));
    // A screen that does not change has no answer.
    await Promise.race([once(socket, 'data'), sleep(reactionMs)]);
  } finally {
    socket.destroy();
  }
}

function pointerAt(x: number, y: number): Buffer {
  const event = Buffer.from([5, 0, 0, 0, 0, 0]);
  event.writeUInt16BE(x, 2);
  event.writeUInt16BE(y, 4);
  return event;
}

function updateOf(width: number, height: number, incremental: boolean): Buffer {
  const request = Buffer.from([3, Number(incremental), 0, 0, 0, 0, 0, 0, 0, 0]);
  request.writeUInt16BE(width, 6);
  request.writeUInt16BE(height, 8);
  return request;
}

/** Bytes of the socket by their number. */
function reader(socket: Socket, signal: AbortSignal): (count: number) => Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  let wake = () => {};
  const onChange = () => wake();
  // Heard from now on: what comes between two reads must not be lost.
  socket.on('data', (more: Buffer) => {
    // What nobody takes any more is a picture that nobody looks at.
    if (bytes.length < MOST_BYTES) bytes = Buffer.concat([bytes, more]);
    wake();
  });
  socket.on('error', onChange);
  socket.on('close', onChange);
  signal.addEventListener('abort', onChange, { once: true });
  return async (count) => {
    while (bytes.length < count) {
      if (signal.aborted) throw new Error("the guest's VNC server does not answer in time");
      if (socket.destroyed) throw new Error("the guest's VNC server has closed the connection");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const taken = bytes.subarray(0, count);
    bytes = bytes.subarray(count);
    return taken;
  };
}
