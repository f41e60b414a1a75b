import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PodPaths } from '../pod/paths.ts';
import type { HostMounts } from './host-mounts.ts';
import { HotplugMounts } from './hotplug-mounts.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'hotplug-'));
});
afterEach(async () => rm(root, { recursive: true }));

/** A node where the volume is mounted already, in the way that is given. */
async function ensured(there: 'ro' | 'rw', readOnly: boolean): Promise<string[]> {
  const paths = new PodPaths(root, root);
  const target = join(paths.hostEmptyDir('pod', 'hotplug-disks'), 'extra');
  const done: string[] = [];
  const mounts = {
    list: async () => [{ mountPoint: target, readOnly: there === 'ro' }],
    unmount: async () => void done.push('unmount'),
    // Where the mount would go on from.
    sourceOf: async () => {
      throw new Error('made anew');
    },
  } as unknown as HostMounts;
  const hotplug = new HotplugMounts(paths, mounts, {} as never, async () => '');
  const attachment = {
    volume: 'extra',
    block: false,
    readOnly,
    attachmentPid: process.pid,
    podUid: 'pod',
    computePid: 0,
  };
  await hotplug.ensure(attachment).catch(() => done.push('made anew'));
  return done;
}

test.each<['ro' | 'rw', boolean, string[]]>([
  ['rw', false, []],
  ['ro', true, []],
  ['ro', false, []],
  ['rw', true, ['unmount', 'made anew']],
])('a volume that is mounted %s, for a claim with readOnly %s: %j', async (there, readOnly, done) => {
  expect(await ensured(there, readOnly)).toEqual(done);
});
