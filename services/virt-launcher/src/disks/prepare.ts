import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { cloudInitSecretDirectory, LAUNCHER_DIRECTORIES, type VirtualMachineInstance } from '@yagura/api';
import { type DiskSource, quantityBytes } from '@yagura/domain';
import type { Paths } from '../paths.ts';
import { type CloudInit, noCloudFiles, type Volume } from './cloud-init.ts';
import { ensureBlank, ensureFile, ensureOverlay, exists, probeFormat, takesDirectIo } from './images.ts';
import { writeIso } from './iso.ts';

/** A volume's image is not on this node yet; it is to be tried again. */
export class DiskNotReadyError extends Error {
  override name = 'DiskNotReadyError';
}

/** A volume of a kind that cannot be served; `field` is relative to the instance. */
export class UnsupportedVolumeError extends Error {
  override name = 'UnsupportedVolumeError';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}

export interface DiskRequest {
  vmi: VirtualMachineInstance;
  /** Mounted images of container disks by volume name. */
  containerDisks: ReadonlyMap<string, string>;
}

/** Makes the images of all volumes that a disk shows; what is there already stays as it is. */
export async function prepareDisks(request: DiskRequest, paths: Paths): Promise<Map<string, DiskSource>> {
  const shown = new Set((request.vmi.spec.domain.devices.disks ?? []).map(({ name }) => name));
  const volumes = (request.vmi.spec.volumes ?? []).map((volume, index) => ({
    volume,
    field: `spec.volumes[${index}]`,
  }));
  const prepared = volumes
    .filter(({ volume }) => shown.has(volume.name))
    .map(async ({ volume, field }): Promise<[string, DiskSource]> => {
      return [volume.name, await prepareVolume(request, volume, field, paths)];
    });
  return new Map(await Promise.all(prepared));
}

async function prepareVolume(request: DiskRequest, volume: Volume, field: string, paths: Paths): Promise<DiskSource> {
  if (volume.containerDisk !== undefined) return containerDisk(request, volume.name, paths);
  if (volume.emptyDisk !== undefined) {
    const capacity = quantityBytes(`${field}.emptyDisk.capacity`, String(volume.emptyDisk.capacity));
    return emptyDisk(volume.name, capacity, paths);
  }
  if (volume.cloudInitNoCloud !== undefined) {
    return noCloud(request.vmi, volume.name, volume.cloudInitNoCloud, `${field}.cloudInitNoCloud`, paths);
  }
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'a volume without a source';
  throw new UnsupportedVolumeError(field, `${kind} is not supported yet`);
}

async function containerDisk(request: DiskRequest, name: string, paths: Paths): Promise<DiskSource> {
  const image = request.containerDisks.get(name);
  if (image === undefined || !(await exists(image))) {
    throw new DiskNotReadyError(`container disk "${name}" is not mounted yet${image ? ` at ${image}` : ''}`);
  }
  const backing = { file: image, format: await probeFormat(image) };
  const file = join(paths.ephemeralDisks, 'disk-data', name, 'disk.qcow2');
  await ensureOverlay(file, backing);
  const direct = (await takesDirectIo(file)) && (await takesDirectIo(image));
  return { file, format: 'qcow2', backing, cache: direct ? 'none' : 'writethrough' };
}

async function emptyDisk(name: string, bytes: bigint, paths: Paths): Promise<DiskSource> {
  const file = join(paths.libvirtRuntime, 'empty-disks', `${name}.qcow2`);
  await ensureBlank(file, bytes);
  return { file, format: 'qcow2', cache: (await takesDirectIo(file)) ? 'none' : 'writethrough' };
}

async function noCloud(
  vmi: VirtualMachineInstance,
  name: string,
  source: CloudInit,
  field: string,
  paths: Paths,
): Promise<DiskSource> {
  const { namespace = '', name: vmiName } = vmi.metadata;
  const directory = join(paths.ephemeralDisks, 'cloud-init-data', namespace, vmiName);
  const file = join(directory, 'noCloud.iso');
  const secret = async (data: 'userdata' | 'networkdata') => readSecret(paths, name, data);
  const mounted = { userData: await secret('userdata'), networkData: await secret('networkdata') };
  const files = noCloudFiles(vmi, source, mounted, field);
  await mkdir(directory, { recursive: true });
  await ensureFile(file, async (temporary) => writeIso(temporary, 'cidata', files, directory));
  return { file, format: 'raw' };
}

/** The key may be spelled in the contract's way or in the way of older tools. */
async function readSecret(paths: Paths, volume: string, data: 'userdata' | 'networkdata'): Promise<string | undefined> {
  const inPrivate = relative(LAUNCHER_DIRECTORIES.private, cloudInitSecretDirectory(volume, data));
  const directory = join(paths.privateDirectory, inPrivate);
  const names = data === 'userdata' ? ['userdata', 'userData'] : ['networkdata', 'networkData'];
  for (const name of names) {
    const text = await readFile(join(directory, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}
