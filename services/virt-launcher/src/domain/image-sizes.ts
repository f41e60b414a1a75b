import { statSync } from 'node:fs';
import type { LiveDisk } from '@yagura/domain';

/**
 * Bytes of the images that the launcher made from objects of the API, by path: ISO files below its own directories.
 * Whatever cannot be looked at is left out.
 */
export function imageSizes(disks: readonly LiveDisk[], directories: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { source } of disks) {
    if (source === undefined || !source.endsWith('.iso')) continue;
    if (!directories.some((directory) => source.startsWith(`${directory}/`))) continue;
    const found = statSync(source, { throwIfNoEntry: false });
    if (found !== undefined) sizes.set(source, found.size);
  }
  return sizes;
}
