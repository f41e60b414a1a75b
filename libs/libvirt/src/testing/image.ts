import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

/** An empty qcow2 image that every user may write, in this folder. */
export function makeImage(directory: string, name: string, size: string): string {
  const path = join(directory, name);
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', path, size]);
  chmodSync(path, 0o666);
  return path;
}
