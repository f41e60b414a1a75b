import { mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VirtualMachineInstance, Volume } from '@yagura/api';
import { difference } from '../domain/plug.ts';
import { pathsFrom } from '../paths.ts';
import { claimImageSize } from './image-size.ts';
import { type DiskRequest, prepareDisks } from './prepare.ts';
import { VolumeError } from './volume-error.ts';

const MIB = 1024n * 1024n;
const rules = { reservedBytes: 131_072n, shortagePercent: 10 };

test.each<[available: bigint, expected: bigint | undefined]>([
  [200n * MIB, 100n * MIB],
  [100n * MIB, 100n * MIB - 131_072n],
  [91n * MIB, 91n * MIB - 131_072n],
  [90n * MIB, undefined],
  [0n, undefined],
])('of %d available bytes an image of a 100 MiB claim gets %d', (available, expected) => {
  expect(claimImageSize(100n * MIB, available, rules)).toBe(expected);
});

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'volumes-'));
});
afterEach(async () => rm(root, { recursive: true }));

const vmiOf = (volume: Volume): VirtualMachineInstance => ({
  metadata: { name: 'demo', namespace: 'n', uid: 'u' },
  spec: { domain: { devices: { disks: [{ name: volume.name, disk: {} }] } }, volumes: [volume] },
});
const prepare = async (volume: Volume, more: Partial<DiskRequest> = {}) => {
  const request = { vmi: vmiOf(volume), containerDisks: new Map(), claims: new Map(), hotplug: new Map(), rules };
  return (await prepareDisks({ ...request, ...more }, pathsFrom({ LAUNCHER_ROOT: root }))).get(volume.name);
};
const directory = async (name: string) => {
  const path = join(root, 'var/run/kubevirt-private/vmi-disks', name);
  await mkdir(path, { recursive: true });
  return path;
};

test('the image on a claim is made once, as large as the claim', async () => {
  const volume: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'c' } };
  const path = await directory('data');
  const claims = new Map([['data', 2n * MIB]]);
  const disk = await prepare(volume, { claims });
  expect(disk).toMatchObject({ file: join(path, 'disk.img'), format: 'raw' });
  expect((await stat(join(path, 'disk.img'))).size).toBe(Number(2n * MIB));
  await truncate(join(path, 'disk.img'), 4096);
  await prepare(volume, { claims });
  expect((await stat(join(path, 'disk.img'))).size).toBe(4096);
});

test('a full image is preallocated, and told so', async () => {
  await writeFile(join(await directory('data'), 'disk.img'), Buffer.alloc(65_536, 1));
  const disk = await prepare({ name: 'data', persistentVolumeClaim: { claimName: 'c' } });
  expect(disk).toMatchObject({ preallocated: true });
});

test('a plugged claim is found where it was mounted, and left out while it is not', async () => {
  const volume: Volume = { name: 'x', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } };
  expect(await prepare(volume)).toBeUndefined();
  await writeFile(join(root, 'disk.img'), 'x');
  expect(await prepare(volume, { hotplug: new Map([['x', root]]) })).toMatchObject({ file: join(root, 'disk.img') });
});

test.each<[what: string, volume: Volume, problem: string, message: RegExp]>([
  ['no directory', { name: 'v', persistentVolumeClaim: { claimName: 'c' } }, 'missing', /^volume "v": .*ENOENT/],
  ['no capacity', { name: 'd', persistentVolumeClaim: { claimName: 'c' } }, 'missing', /^volume "d": the claim has no/],
  ['no image', { name: 'd', persistentVolumeClaim: { claimName: 'c', readOnly: true } }, 'missing', /there is no/],
  ['no host disk', { name: 'd', hostDisk: { path: '/data/x.img', type: 'Disk' } }, 'missing', /there is no .*x\.img/],
  ['no files', { name: 'd', configMap: { name: 'm' } }, 'missing', /^volume "d": .*config-map/],
])('%s is an error that names the volume', async (_, volume, problem, message) => {
  await directory('d');
  const error = await prepare(volume).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(VolumeError);
  expect(error).toMatchObject({ problem, message: expect.stringMatching(message) });
});

test('a layer that cannot be put on a claim is told by its volume and its image', async () => {
  await writeFile(join(await directory('d'), 'disk.img'), '');
  await mkdir(join(root, 'var/run/kubevirt-ephemeral-disks'), { recursive: true });
  await writeFile(join(root, 'var/run/kubevirt-ephemeral-disks/disk-data'), '');
  const error = prepare({ name: 'd', ephemeral: { persistentVolumeClaim: { claimName: 'c' } } });
  await expect(error).rejects.toThrow(
    /^volume "d": the guest's own layer on .*vmi-disks\/d\/disk\.img cannot be made: /,
  );
});

test('a claim that is too small for its image says what is missing', async () => {
  await directory('d');
  const volume: Volume = { name: 'd', persistentVolumeClaim: { claimName: 'c' } };
  const error = prepare(volume, { claims: new Map([['d', 1n << 60n]]) });
  // Nothing in it changes while the claim stays as it is.
  await expect(error).rejects.toThrow(
    'volume "d": unable to create disk.img, not enough space, demanded size 1152921504606846976 B is bigger than available space less 131072 B in reserve, also after taking 10 % toleration into account',
  );
});

test('disks are taken out only if they were plugged in, and plugged in once they are mounted', () => {
  const vmi = vmiOf({ name: 'new', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } });
  const live = [
    { name: 'root', alias: 'ua-root', target: 'vda', bus: 'virtio', source: '/var/run/d.qcow2' },
    {
      name: 'old',
      alias: 'ua-old',
      target: 'sda',
      bus: 'scsi',
      source: '/var/run/kubevirt/hotplug-disks/old/disk.img',
    },
  ];
  expect(difference(vmi, live, new Map())).toEqual({ removed: [live[1]], added: [] });
  expect(difference(vmi, live, new Map([['new', '/x']])).added).toEqual(['new']);
  const has = [{ name: 'new', alias: 'ua-new', target: 'sda', bus: 'scsi', source: '/x' }];
  expect(difference(vmi, has, new Map([['new', '/x']]))).toEqual({ removed: [], added: [] });
});
