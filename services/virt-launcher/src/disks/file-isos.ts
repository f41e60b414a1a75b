import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FILE_VOLUMES, fileVolumeDirectory, LAUNCHER_DIRECTORIES } from '@yagura/api';
import type { DiskSource } from '@yagura/domain';
import type { Paths } from '../paths.ts';
import type { SeedFiles, Volume } from './cloud-init.ts';
import { ensureFile } from './images.ts';
import { writeIso } from './iso.ts';

type FileVolume = keyof typeof FILE_VOLUMES;

const DEFAULT_LABEL = 'cfgdata';
/** What the setup of Windows looks for. */
const SYSPREP_LABEL = 'unattendCDRom';

/** Which kind of volume of files it is; undefined for any other. */
export function fileVolumeOf(volume: Volume): { kind: FileVolume; label: string } | undefined {
  const kind = (Object.keys(FILE_VOLUMES) as FileVolume[]).find((key) => volume[key] !== undefined);
  if (kind === undefined) return undefined;
  if (kind === 'sysprep') return { kind, label: SYSPREP_LABEL };
  const { configMap, secret, downwardAPI } = volume;
  return { kind, label: (configMap ?? secret ?? downwardAPI)?.volumeLabel || DEFAULT_LABEL };
}

/** A CD image of the files that the kubelet has mounted. One that is there stays: the guest may have it in its drive. */
export async function fileIso(name: string, kind: FileVolume, label: string, paths: Paths): Promise<DiskSource> {
  const mounted = join(paths.privateDirectory, relative(LAUNCHER_DIRECTORIES.private, fileVolumeDirectory(kind, name)));
  const file =
    kind === 'serviceAccount'
      ? join(paths.privateDirectory, 'service-account-disk', 'service-account.iso')
      : join(paths.privateDirectory, `${FILE_VOLUMES[kind]}-disks`, `${name}.iso`);
  await ensureFile(file, async (temporary) => {
    await mkdir(dirname(file), { recursive: true });
    await writeIso(temporary, label, await filesBelow(mounted), dirname(file));
  });
  return { file, format: 'raw' };
}

/** Contents by relative path. The kubelet's own entries begin with two dots; what it shows are links into them. */
async function filesBelow(directory: string, prefix = ''): Promise<SeedFiles> {
  const files: Record<string, string | Buffer> = {};
  for (const entry of await readdir(join(directory, prefix))) {
    if (entry.startsWith('..')) continue;
    const path = join(prefix, entry);
    const content = await readFile(join(directory, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR') return undefined;
      throw error;
    });
    Object.assign(files, content === undefined ? await filesBelow(directory, path) : { [path]: content });
  }
  return files;
}
