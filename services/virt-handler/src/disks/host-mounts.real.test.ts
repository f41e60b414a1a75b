import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '../system/run.ts';
import { HostMounts } from './host-mounts.ts';
import { makeMountTarget } from './mount-target.ts';
import { parseMountinfo } from './mountinfo.ts';
import { findImage } from './resolve-in-root.ts';

/** Real mounts, in a mount namespace of their own that stands for the node's. Needs root. */
const LAUNCHER = 107;
let node: ChildProcess;
let mounts: HostMounts;
let base: string;
let rootfs: string;
let volume: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'mounts-'));
  await chmod(base, 0o755);
  [rootfs, volume] = [join(base, 'rootfs'), join(base, 'volume')];
  await mkdir(join(rootfs, 'disk'), { recursive: true });
  await mkdir(volume);
  await chmod(volume, 0o777);
  await writeFile(join(rootfs, 'disk/linux.img'), 'image');
  await writeFile(join(base, 'secret'), 'secret');
  node = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', 'echo up; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (node.stdout) await once(node.stdout, 'data');
  mounts = new HostMounts(run, '/proc', ['nsenter', '--target', String(node.pid), '--mount', '--']);
});
afterEach(async () => {
  node.kill('SIGKILL');
  await once(node, 'exit');
  await rm(base, { recursive: true });
});

const mounted = async () =>
  parseMountinfo(await readFile(`/proc/${node.pid}/mountinfo`, 'utf8')).filter(({ mountPoint }) =>
    mountPoint.startsWith(base),
  );
/** What the node, and so the pod, sees at a path. */
const seen = async (path: string) => run(['nsenter', '--target', String(node.pid), '--mount', '--', 'cat', path]);
const image = async () => findImage(rootfs, undefined, LAUNCHER);
const source = () => join(rootfs, 'disk/linux.img');
const target = () => join(volume, 'disk_0.img');
const asLauncher = async (command: string) =>
  promisify(execFile)('sh', ['-c', command], { uid: LAUNCHER, gid: LAUNCHER, cwd: volume });

test('an image is mounted read-only, and taken away again', async () => {
  await makeMountTarget(volume, 'disk_0.img');
  await mounts.bindReadOnly(source(), await image(), target());
  expect(await seen(target())).toBe('image');
  expect(await mounted()).toMatchObject([{ mountPoint: target(), readOnly: true }]);
  await mounts.unmount(target());
  expect(await mounted()).toEqual([]);
});

test.each<[string, () => Promise<void>]>([
  [
    'a link in its place',
    async () => {
      await rm(source());
      await symlink(join(base, 'secret'), source());
    },
  ],
  [
    'a link in the place of its directory',
    async () => {
      await rename(join(rootfs, 'disk'), join(rootfs, 'moved'));
      await mkdir(join(base, 'other'));
      await rename(join(base, 'secret'), join(base, 'other/linux.img'));
      await symlink(join(base, 'other'), join(rootfs, 'disk'));
    },
  ],
  [
    'a link to the very file that was checked, which may be anywhere by then',
    async () => {
      await rename(source(), join(base, 'elsewhere'));
      await symlink(join(base, 'elsewhere'), source());
    },
  ],
  ['another file in its place', async () => rename(join(base, 'secret'), source())],
])('an image that became %s after the check is refused', async (_, swap) => {
  const checked = await image();
  await makeMountTarget(volume, 'disk_0.img');
  await swap();
  await expect(mounts.bindReadOnly(source(), checked, target())).rejects.toThrow('is not the file that was checked');
  expect(await mounted()).toEqual([]);
});

test('a target that a link leads elsewhere does not stay mounted', async () => {
  await symlink(join(base, 'secret'), target());
  await expect(mounts.bindReadOnly(source(), await image(), target())).rejects.toThrow('refused');
  expect(await mounted()).toEqual([]);
  expect(await seen(join(base, 'secret'))).toBe('secret');
});

test('a source that is swapped all the time never shows anything but itself', async () => {
  const checked = await image();
  await makeMountTarget(volume, 'disk_0.img');
  const swapper = spawn(
    'sh',
    [
      '-c',
      `cp -p linux.img keep; ln -s ${base}/secret link; while :; do mv -fT link linux.img; ln linux.img l2 2>/dev/null; mv -fT linux.img link; ln keep linux.img; done`,
    ],
    { cwd: join(rootfs, 'disk'), stdio: 'ignore' },
  );
  try {
    const outcomes = { mounted: 0, refused: 0 };
    for (let i = 0; i < 40; i++) {
      const done = await mounts.bindReadOnly(source(), checked, target()).then(
        () => true,
        () => false,
      );
      outcomes[done ? 'mounted' : 'refused'] += 1;
      if (done) {
        expect(await seen(target())).toBe('image');
        await mounts.unmount(target());
      }
      expect(await mounted()).toEqual([]);
    }
    expect(outcomes.refused).toBeGreaterThan(0);
  } finally {
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
  }
});

test('once a target is made, the launcher can change nothing on the way to it', async () => {
  await asLauncher('mkdir kernel-boot && ln -s /etc/passwd kernel-boot/kernel && echo mine > disk_0.img');
  await makeMountTarget(volume, 'kernel-boot/kernel');
  await makeMountTarget(volume, 'disk_0.img');
  for (const command of [
    'mv kernel-boot away',
    'mv kernel-boot/kernel kernel-boot/away',
    'rm -f disk_0.img',
    'ln -s /etc/passwd disk_1.img',
    'ln -s /etc/passwd kernel-boot/initrd',
    'chmod 777 kernel-boot',
    'echo mine > disk_0.img',
  ]) {
    await expect(asLauncher(command)).rejects.toThrow(/Permission denied|not permitted/);
  }
  expect(await readFile(target(), 'utf8')).toBe('');
});

test('a full directory in the place of a target is refused, not emptied', async () => {
  await asLauncher('mkdir -p disk_0.img/sub');
  await expect(makeMountTarget(volume, 'disk_0.img')).rejects.toThrow('delete the pod');
  await asLauncher('mkdir disk_0.img/still-mine');
});
