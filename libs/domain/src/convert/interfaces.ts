import { ConversionError } from '../errors.ts';
import type { InterfaceModel, VirtioModel } from '../model.ts';
import type { VmiSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';

/** QEMU's limit for the queues of one NIC. */
const MAX_QUEUES = 256;

/** The spec's interfaces in their order, each on the tap device that this node made for it. */
export function interfaceModels(
  spec: VmiSpec,
  vcpus: number,
  virtioModel: VirtioModel,
  options: ConversionOptions,
): InterfaceModel[] {
  const devices = spec.domain?.devices;
  return (devices?.interfaces ?? []).flatMap((nic, index) => {
    if (nic.state === 'absent') return [];
    const field = `spec.domain.devices.interfaces[${index}]`;
    const source = options.interfaces.find(({ name }) => name === nic.name);
    if (source === undefined) throw new ConversionError(field, `"${nic.name}" has no tap device on this node`);
    const model = nic.model || 'virtio';
    const multiqueue = devices?.networkInterfaceMultiqueue === true && model === 'virtio';
    return [
      {
        name: nic.name,
        tapDevice: source.tapDevice,
        macAddress: source.macAddress || nic.macAddress || undefined,
        model: model === 'virtio' ? virtioModel : model,
        mtu: source.mtu || undefined,
        queues: multiqueue ? Math.min(vcpus, MAX_QUEUES) : undefined,
        linkState: nic.state === 'down' ? ('down' as const) : ('up' as const),
        bootOrder: nic.bootOrder,
        acpiIndex: nic.acpiIndex,
      },
    ];
  });
}
