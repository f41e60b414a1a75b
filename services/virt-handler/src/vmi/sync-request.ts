import { fromJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type ClusterConfig,
  containerDiskImage,
  KERNEL_BOOT_DIRECTORY,
  launcherVmi,
  type VirtualMachineInstance,
} from '@yagura/api';
import { type SyncVirtualMachineRequestSchema, VirtualMachineInstanceSchema } from '@yagura/contracts';
import type { Attachment } from '../network/attachment.ts';

/** Everything that the launcher needs to run the instance on this node. */
export function syncRequest(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  interfaces: Attachment[],
): MessageInitShape<typeof SyncVirtualMachineRequestSchema> {
  const kernel = vmi.spec.domain.firmware?.kernelBoot?.container;
  return {
    vmi: fromJson(VirtualMachineInstanceSchema, launcherVmi(vmi) as unknown as JsonValue, {
      ignoreUnknownFields: true,
    }),
    options: {
      useEmulation: config.useEmulation,
      balloonStatsPeriod: { seconds: BigInt(config.memBalloonStatsPeriod) },
      systemInformation: systemInformation(config),
      interfaces,
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
