import { mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import {
  claimNameOf,
  isHotpluggable,
  LAUNCHER_DIRECTORIES,
  type VirtualMachineInstance,
  volumeDevice,
  volumeDirectory,
} from '@yagura/api';
import { ConversionError, type DiskSource, quantityBytes } from '@yagura/domain';
import { errorMessage } from '@yagura/runtime';
import { cloudInitPublicKeys } from '../credentials/cloud-init-keys.ts';
import type { Paths } from '../paths.ts';
import { claimStorage } from './claims.ts';
import { CloudInitError, configDriveFiles, noCloudFiles, type Volume } from './cloud-init.ts';
import { readSeedSecret } from './cloud-init-secrets.ts';
import { fileIso, fileVolumeOf } from './file-isos.ts';
import { UnsafeImageError } from './image-header.ts';
import type { ImageRules } from './image-size.ts';
import { ensureBlank, ensureFile, ensureOverlay, exists, probeFormat, takesDirectIo } from './images.ts';
import { writeIso } from './iso.ts';
import { rawStorage } from './storage-facts.ts';
import { VolumeError } from './volume-error.ts';

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
  /** Capacities of claims by volume name, in bytes. */
  claims: ReadonlyMap<string, bigint>;
  /** Where the claims that are plugged in are mounted, by volume name. */
  hotplug: ReadonlyMap<string, string>;
  rules: ImageRules;
}

/** Makes the images of all volumes that a disk shows; what is there already stays as it is. */
export async function prepareDisks(request: DiskRequest, paths: Paths): Promise<Map<string, DiskSource>> {
  const shown = new Set((request.vmi.spec.domain.devices.disks ?? []).map(({ name }) => name));
  const volumes = (request.vmi.spec.volumes ?? [])
    .map((volume, index) => ({ volume, field: `spec.volumes[${index}]` }))
    .filter(({ volume }) => shown.has(volume.name))
    // The others are plugged in later.
    .filter(({ volume }) => !isHotpluggable(volume) || request.hotplug.has(volume.name));
  const prepared = volumes.map(async ({ volume, field }): Promise<[string, DiskSource]> => {
    return [volume.name, await prepareVolume(request, volume, field, paths)];
  });
  return new Map(await Promise.all(prepared));
}

async function prepareVolume(request: DiskRequest, volume: Volume, field: string, paths: Paths): Promise<DiskSource> {
  try {
    return await storageOf(request, volume, field, paths);
  } catch (error) {
    if (error instanceof UnsafeImageError) throw new VolumeError(volume.name, 'unsafe', error.message);
    const named = [DiskNotReadyError, UnsupportedVolumeError, CloudInitError, ConversionError];
    throw named.some((type) => error instanceof type) ? error : VolumeError.from(volume.name, error);
  }
}

async function storageOf(request: DiskRequest, volume: Volume, field: string, paths: Paths): Promise<DiskSource> {
  const { name, containerDisk, emptyDisk, hostDisk, ephemeral } = volume;
  if (containerDisk !== undefined) return containerDiskOverlay(request, name, paths);
  if (emptyDisk !== undefined) {
    return blank(name, quantityBytes(`${field}.emptyDisk.capacity`, String(emptyDisk.capacity)), paths);
  }
  if (hostDisk !== undefined) {
    return rawStorage(name, join(inLauncher(volumeDirectory(name), paths), basename(hostDisk.path)), false);
  }
  if (ephemeral !== undefined) return overlay(name, await claim(request, volume, true, paths), paths);
  if (claimNameOf(volume) !== undefined) {
    return claim(request, volume, volume.persistentVolumeClaim?.readOnly === true, paths);
  }
  const files = fileVolumeOf(volume);
  if (files !== undefined) return fileIso(name, files.kind, files.label, paths);
  if (volume.cloudInitNoCloud !== undefined || volume.cloudInitConfigDrive !== undefined) {
    return cloudInit(request.vmi, volume, field, paths);
  }
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'a volume without a source';
  throw new UnsupportedVolumeError(field, `${kind} is not supported yet`);
}

async function claim(request: DiskRequest, volume: Volume, readOnly: boolean, paths: Paths): Promise<DiskSource> {
  const { name } = volume;
  const capacityBytes = request.claims.get(name);
  const plugged = request.hotplug.get(name);
  const device = join(paths.devices, relative('/dev', volumeDevice(name)));
  // The pod has either the device or the directory.
  const own = (await exists(device)) ? device : inLauncher(volumeDirectory(name), paths);
  return claimStorage({ volume: name, path: plugged ?? own, readOnly, capacityBytes, rules: request.rules });
}

/** A path of the pod, as this process has it. */
function inLauncher(path: string, paths: Paths): string {
  return join(paths.privateDirectory, relative(LAUNCHER_DIRECTORIES.private, path));
}

async function containerDiskOverlay(request: DiskRequest, name: string, paths: Paths): Promise<DiskSource> {
  const image = request.containerDisks.get(name);
  if (image === undefined || !(await exists(image))) {
    throw new DiskNotReadyError(`container disk "${name}" is not mounted yet${image ? ` at ${image}` : ''}`);
  }
  return overlay(name, { file: image, format: await probeFormat(image) }, paths);
}

async function overlay(name: string, storage: DiskSource, paths: Paths): Promise<DiskSource> {
  const backing = { file: storage.file, format: storage.format, ...(storage.block ? { block: true } : {}) };
  const file = join(paths.ephemeralDisks, 'disk-data', name, 'disk.qcow2');
  await ensureOverlay(file, backing).catch((error: unknown) => {
    throw overlayError(name, backing.file, error);
  });
  const direct = (await takesDirectIo(file)) && (await takesDirectIo(backing.file));
  return { file, format: 'qcow2', backing, cache: direct ? 'none' : 'writethrough' };
}

/** qemu-img tells what is wrong in words alone, and of a file that nobody knows: the overlay before it has its name. */
function overlayError(name: string, image: string, error: unknown): VolumeError {
  const words = errorMessage(error);
  const problem = /no space left|quota exceeded/i.test(words) ? 'space' : VolumeError.from(name, error).problem;
  const message = `the guest's own layer on ${image} cannot be made: ${words.replaceAll('.qcow2.new', '.qcow2')}`;
  return new VolumeError(name, problem, message, { cause: error });
}

async function blank(name: string, bytes: bigint, paths: Paths): Promise<DiskSource> {
  const file = join(paths.libvirtRuntime, 'empty-disks', `${name}.qcow2`);
  await ensureBlank(file, bytes);
  return { file, format: 'qcow2', cache: (await takesDirectIo(file)) ? 'none' : 'writethrough' };
}

async function cloudInit(
  vmi: VirtualMachineInstance,
  volume: Volume,
  field: string,
  paths: Paths,
): Promise<DiskSource> {
  const { namespace = '', name: vmiName } = vmi.metadata;
  const directory = join(paths.ephemeralDisks, 'cloud-init-data', namespace, vmiName);
  const mounted = {
    userData: await readSeedSecret(paths, volume.name, 'userdata'),
    networkData: await readSeedSecret(paths, volume.name, 'networkdata'),
    publicKeys: await cloudInitPublicKeys(
      vmi.spec,
      volume.cloudInitNoCloud ? 'noCloud' : 'configDrive',
      paths.privateDirectory,
    ),
  };
  const { cloudInitNoCloud, cloudInitConfigDrive = {} } = volume;
  const seed = cloudInitNoCloud
    ? {
        name: 'noCloud.iso',
        label: 'cidata',
        files: noCloudFiles(vmi, cloudInitNoCloud, mounted, `${field}.cloudInitNoCloud`),
      }
    : {
        name: 'configdrive.iso',
        label: 'config-2',
        files: configDriveFiles(vmi, cloudInitConfigDrive, mounted, `${field}.cloudInitConfigDrive`),
      };
  const file = join(directory, seed.name);
  await mkdir(directory, { recursive: true });
  await ensureFile(file, async (temporary) => writeIso(temporary, seed.label, seed.files, directory));
  return { file, format: 'raw' };
}
