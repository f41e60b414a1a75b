// What the first bytes of a disk image tell. Images come from anybody, so they may not name other files of the pod.

/** Bytes that must be read of an image to describe it. */
export const HEADER_BYTES = 104;

const QCOW2_MAGIC = 0x514649fb;
const EXTERNAL_DATA_FILE = 4n;

export type ImageFormat = 'qcow2' | 'raw';

/** Thrown for an image that would make QEMU open files other than itself. */
export class UnsafeImageError extends Error {
  override name = 'UnsafeImageError';
}

/** Everything that is not qcow2 is a raw image, as a disk of any content may be. */
export function imageFormat(header: Buffer): ImageFormat {
  if (header.length < 24 || header.readUInt32BE(0) !== QCOW2_MAGIC) return 'raw';
  if (header.readBigUInt64BE(8) !== 0n) throw new UnsafeImageError('the image has a backing file');
  const version = header.readUInt32BE(4);
  if (version >= 3 && header.length >= 80 && (header.readBigUInt64BE(72) & EXTERNAL_DATA_FILE) !== 0n) {
    throw new UnsafeImageError('the image has an external data file');
  }
  return 'qcow2';
}
