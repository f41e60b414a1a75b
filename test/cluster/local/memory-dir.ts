import { mkdir, readdir, readFile } from 'node:fs/promises';
import { exec } from '../exec.ts';

/**
 * A directory in memory, for etcd: the cluster does not outlive a reboot anyway, and a disk that builds and guests share
 * makes each write of the API server wait. One that holds something already stays where it is.
 */
export async function ensureMemoryDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const points = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4]);
  if (points.includes(dir) || (await readdir(dir)).length > 0) return;
  await exec('mount', ['-t', 'tmpfs', '-o', 'mode=700,size=5g', 'tmpfs', dir]);
}
