import { relative } from 'node:path';
import {
  containerDiskContainerName,
  containerDiskImage,
  KERNEL_BOOT_DIRECTORY,
  KERNEL_BOOT_VOLUME,
  LAUNCHER_DIRECTORIES,
  type VirtualMachineInstanceSpec,
} from '@yagura/api';

/** One file of an image that the launcher needs. */
export interface DiskSource {
  /** Container of the launcher's pod that keeps the image mounted. */
  container: string;
  /** For people: `volume rootdisk` or `kernelBoot`. */
  what: string;
  /** In the image; undefined: the only file in /disk. */
  path: string | undefined;
  /** Where the launcher expects it, relative to the pod's volume of container disks. */
  target: string;
}

/** Every file that is to be mounted from an image, in the launcher's naming. */
export function diskSources(spec: VirtualMachineInstanceSpec): DiskSource[] {
  const disks = (spec.volumes ?? []).flatMap(({ name, containerDisk }, index): DiskSource[] =>
    containerDisk
      ? [
          {
            container: containerDiskContainerName(name),
            what: `volume ${name}`,
            path: containerDisk.path,
            target: inVolume(containerDiskImage(index)),
          },
        ]
      : [],
  );
  return [...disks, ...kernelSources(spec)];
}

function kernelSources(spec: VirtualMachineInstanceSpec): DiskSource[] {
  const kernel = spec.domain.firmware?.kernelBoot?.container;
  if (kernel === undefined) return [];
  const container = containerDiskContainerName(KERNEL_BOOT_VOLUME);
  const file = (name: string, path: string | undefined): DiskSource[] =>
    path ? [{ container, what: 'kernelBoot', path, target: inVolume(`${KERNEL_BOOT_DIRECTORY}/${name}`) }] : [];
  return [...file('kernel', kernel.kernelPath), ...file('initrd', kernel.initrdPath)];
}

function inVolume(path: string): string {
  return relative(LAUNCHER_DIRECTORIES.containerDisks, path);
}
