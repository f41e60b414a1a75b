import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type ClusterConfig,
  containerDiskImage,
  KERNEL_BOOT_DIRECTORY,
  type VirtualMachineInstance,
} from '@yagura/api';
import type { SyncVirtualMachineRequestSchema } from '@yagura/contracts';
import type { Attachment } from '../network/attachment.ts';
import { vmiMessage, volumeOptions } from './volume-options.ts';

/** Everything that the launcher needs to run the instance on this node. */
export function syncRequest(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  interfaces: Attachment[],
  hotplug: ReadonlyMap<string, string>,
): MessageInitShape<typeof SyncVirtualMachineRequestSchema> {
  const kernel = vmi.spec.domain.firmware?.kernelBoot?.container;
  return {
    vmi: vmiMessage(vmi),
    options: {
      useEmulation: config.useEmulation,
      balloonStatsPeriod: { seconds: BigInt(config.memBalloonStatsPeriod) },
      systemInformation: systemInformation(config),
      firmwareDirectory: config.ovmfPath,
      interfaces,
      volumes: volumeOptions(vmi, config, hotplug),
      containerDisks: (vmi.spec.volumes ?? []).flatMap(({ name, containerDisk }, index) =>
        containerDisk ? [{ volume: name, path: containerDiskImage(index) }] : [],
      ),
      ...(kernel === undefined
        ? {}
        : {
            kernelBoot: {
              ...(kernel.kernelPath ? { kernelPath: `${KERNEL_BOOT_DIRECTORY}/kernel` } : {}),
              ...(kernel.initrdPath ? { initrdPath: `${KERNEL_BOOT_DIRECTORY}/initrd` } : {}),
            },
          }),
    },
  };
}

function systemInformation({ smbios }: ClusterConfig) {
  const { manufacturer, product, family, version, sku } = smbios;
  return {
    manufacturer,
    product,
    family,
    ...(version === undefined ? {} : { version }),
    ...(sku === undefined ? {} : { sku }),
  };
}
