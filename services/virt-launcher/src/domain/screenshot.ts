import type { Domain } from '@yagura/libvirt';
import { PNG } from 'pngjs';

const TIMEOUT_MS = 8_000;

/** The screen as a PNG; QEMU's own pictures are PPM. */
export async function screenshot(domain: Domain): Promise<{ mimeType: string; data: Buffer }> {
  const { mimeType, data } = await domain.screenshot(0, { timeoutMs: TIMEOUT_MS });
  return { mimeType: 'image/png', data: mimeType === 'image/png' ? data : pngOf(data) };
}

/** Whitespace and comments of a PPM's header, between its numbers. */
const HEADER = /^P6\s+(?:#.*\n\s*)*(\d+)\s+(?:#.*\n\s*)*(\d+)\s+(?:#.*\n\s*)*255\s/;

/** A binary PPM (P6) of 8 bits a channel as a PNG. */
export function pngOf(ppm: Buffer): Buffer {
  const header = HEADER.exec(ppm.subarray(0, 512).toString('latin1'));
  if (header === null) throw new Error('the screenshot is neither a PNG nor a PPM of 8 bits a channel');
  const [width, height] = [Number(header[1]), Number(header[2])];
  const pixels = ppm.subarray(header[0].length);
  if (pixels.length < width * height * 3) throw new Error(`the screenshot of ${width}x${height} pixels is cut short`);
  const rgb = { colorType: 2, inputColorType: 2, inputHasAlpha: false } as const;
  return PNG.sync.write(Object.assign(new PNG(), { width, height, data: pixels }), { ...rgb, deflateLevel: 6 });
}
