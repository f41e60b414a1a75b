import { lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VirtualMachineInstanceSpec } from '@yagura/api';
import { makeMountTarget } from './mount-target.ts';
import { hostRootOf, parseMountinfo } from './mountinfo.ts';
import { findImage, resolveInRoot } from './resolve-in-root.ts';
import { diskSources } from './sources.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'image-'));
  await mkdir(join(root, 'disk/nested'), { recursive: true });
});
afterEach(async () => rm(root, { recursive: true }));
const uid = process.getuid?.() ?? 0;

test.each([
  ['/disk/../../../../etc/passwd', '/etc/passwd'],
  ['/escape', '/etc/passwd'],
  ['/up', '/etc/passwd'],
  ['/disk/absolute/x', '/disk/nested/x'],
  ['//disk/./nested/x', '/disk/nested/x'],
])('%s stays inside of the image, at %s', async (path, expected) => {
  await mkdir(join(root, 'etc'));
  await writeFile(join(root, 'etc/passwd'), 'the image’s');
  await writeFile(join(root, 'disk/nested/x'), '');
  await symlink('/etc/passwd', join(root, 'escape'));
  await symlink('../../../../../etc/passwd', join(root, 'up'));
  await symlink('/disk/nested', join(root, 'disk/absolute'));
  expect(await resolveInRoot(root, path)).toBe(expected);
});

test('links that lead in a circle end', async () => {
  await symlink('/b', join(root, 'a'));
  await symlink('/a', join(root, 'b'));
  await expect(resolveInRoot(root, '/a')).rejects.toThrow('/a goes through more than 40 links');
});

test('without a path the only file in /disk is the image; hidden files do not count', async () => {
  await rm(join(root, 'disk/nested'), { recursive: true });
  await expect(findImage(root, undefined, uid)).rejects.toThrow('the directory /disk of the image is empty');
  await writeFile(join(root, 'disk/.wh.x'), '');
  await writeFile(join(root, 'disk/linux.img'), '');
  const { dev, ino } = await lstat(join(root, 'disk/linux.img'), { bigint: true });
  expect(await findImage(root, undefined, uid)).toEqual({ path: '/disk/linux.img', device: dev, inode: ino });
  await writeFile(join(root, 'disk/other.img'), '');
  await expect(findImage(root, undefined, uid)).rejects.toThrow('has 2 files, and the spec names no path');
  expect((await findImage(root, '/disk/other.img', uid)).path).toBe('/disk/other.img');
});

test('what cannot be an image is refused with what is wrong with it', async () => {
  await writeFile(join(root, 'disk/secret.img'), '', { mode: 0o600 });
  await expect(findImage(root, '/disk/none.img', uid)).rejects.toThrow('/disk/none.img is not in the image');
  await expect(findImage(root, '/disk/nested', uid)).rejects.toThrow('is not a regular file');
  await expect(findImage(root, '/disk/secret.img', uid + 1)).rejects.toThrow(`cannot be read by user ${uid + 1}`);
});

test('a link in the place of a mount target is replaced, and its aim is left alone', async () => {
  const aim = join(root, 'aim');
  await writeFile(aim, 'precious');
  await symlink(aim, join(root, 'disk_0.img'));
  await symlink('/etc', join(root, 'kernel-boot'));
  await makeMountTarget(root, 'disk_0.img');
  await makeMountTarget(root, 'kernel-boot/kernel');
  await makeMountTarget(root, 'kernel-boot/kernel');
  expect((await lstat(join(root, 'disk_0.img'))).isFile()).toBe(true);
  expect((await lstat(join(root, 'kernel-boot'))).isDirectory()).toBe(true);
  expect((await lstat(join(root, 'kernel-boot/kernel'))).size).toBe(0);
  expect((await lstat(aim)).size).toBe(8);
});

test('the root of a container is found among the node’s mounts by its filesystem', () => {
  const container = parseMountinfo(
    '1 0 8:1 / / rw - ext4 /dev/sda rw\n901 880 0:123 / / rw,relatime master:9 - overlay overlay rw,lowerdir=/x\n902 901 0:5 / /proc rw - proc proc rw',
  );
  const host = parseMountinfo(
    '22 1 8:1 / / rw shared:1 - ext4 /dev/sda rw\n800 22 0:123 / /run/containerd/a\\040b/rootfs rw shared:400 - overlay overlay rw',
  );
  expect(hostRootOf(container, host)).toBe('/run/containerd/a b/rootfs');
  expect(hostRootOf(container, [])).toBeUndefined();
});

test('sources are named as the launcher expects them', () => {
  const spec: VirtualMachineInstanceSpec = {
    domain: {
      devices: {},
      firmware: { kernelBoot: { container: { image: 'k', kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' } } },
    },
    volumes: [
      { name: 'seed', cloudInitNoCloud: { userData: 'x' } },
      { name: 'root', containerDisk: { image: 'r', path: '/disk/r.img' } },
    ],
  };
  expect(diskSources(spec)).toEqual([
    { container: 'volumeroot', what: 'volume root', path: '/disk/r.img', target: 'disk_1.img' },
    { container: 'volumekernel-boot-volume', what: 'kernelBoot', path: '/boot/vmlinuz', target: 'kernel-boot/kernel' },
    { container: 'volumekernel-boot-volume', what: 'kernelBoot', path: '/boot/initrd', target: 'kernel-boot/initrd' },
  ]);
});
