import { link, open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { CLAIM_IMAGE } from '@yagura/api';
import type { DiskSource } from '@yagura/domain';
import { claimImageSize, type ImageRules } from './image-size.ts';
import { exists } from './images.ts';
import { rawStorage } from './storage-facts.ts';
import { VolumeError } from './volume-error.ts';

export interface ClaimRequest {
  volume: string;
  /** The directory that the claim's filesystem is mounted on, or the node of its block device. */
  path: string;
  readOnly: boolean;
  /** Of the claim; undefined: no image is made. */
  capacityBytes: bigint | undefined;
  rules: ImageRules;
}

/** The image on a claim, which is made when there is none, or its device. Throws VolumeError. */
export async function claimStorage(request: ClaimRequest): Promise<DiskSource> {
  const { volume, path, readOnly } = request;
  const stats = await stat(path).catch((error: unknown) => {
    throw VolumeError.from(volume, error);
  });
  if (!stats.isDirectory()) return rawStorage(volume, path, readOnly);
  const image = join(path, CLAIM_IMAGE);
  if (!readOnly && !(await exists(image))) await makeImage(request, image);
  return rawStorage(volume, image, readOnly);
}

/** Another guest may share the claim and make the image at the same time: the first one's is everybody's. */
async function makeImage({ volume, path, capacityBytes, rules }: ClaimRequest, image: string): Promise<void> {
  if (capacityBytes === undefined) {
    throw new VolumeError(volume, 'missing', `the claim has no ${CLAIM_IMAGE}, and tells no capacity to make one`);
  }
  const temporary = `${image}.${process.pid}.new`;
  try {
    const { bavail, bsize } = await statfs(path, { bigint: true });
    const available = bavail * bsize;
    const bytes = claimImageSize(capacityBytes, available, rules);
    if (bytes === undefined) throw new VolumeError(volume, 'space', tooSmall(capacityBytes, rules));
    // Never through something that another user of the claim has put there.
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o660);
    await file.truncate(Number(bytes)).finally(async () => file.close());
    await link(temporary, image).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw VolumeError.from(volume, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Without what is free: that changes all the time, and each change would be a write of the instance's condition. */
function tooSmall(capacity: bigint, { reservedBytes, shortagePercent }: ImageRules): string {
  return (
    `unable to create ${CLAIM_IMAGE}, not enough space, demanded size ${capacity} B is bigger than available space ` +
    `less ${reservedBytes} B in reserve, also after taking ${shortagePercent} % toleration into account`
  );
}
