import { ConversionError } from '../errors.ts';
import type { InterfaceModel, VirtioModel } from '../model.ts';
import type { VmiSpec } from '../vmi.ts';
import type { ConversionOptions } from './options.ts';
import { pciAddress } from './pci-address.ts';

/** QEMU's limit for the queues of one NIC. */
const MAX_QUEUES = 256;

export type InterfaceOptions = Pick<ConversionOptions, 'accelerator' | 'interfaces'>;

/** The spec's interfaces in their order, each on the tap device that this node made for it. */
export function interfaceModels(
  spec: VmiSpec,
  vcpus: number,
  virtioModel: VirtioModel,
  options: InterfaceOptions,
): InterfaceModel[] {
  return wantedInterfaces(spec).map(({ nic, field }) => {
    const source = options.interfaces.find(({ name }) => name === nic.name);
    if (source === undefined) throw new ConversionError(field, `"${nic.name}" has no tap device on this node`);
    const model = nic.model || 'virtio';
    const multiqueue = spec.domain?.devices?.networkInterfaceMultiqueue === true && model === 'virtio';
    return {
      name: nic.name,
      tapDevice: source.tapDevice,
      macAddress: source.macAddress || nic.macAddress || undefined,
      model: model === 'virtio' ? virtioModel : model,
      mtu: source.mtu || undefined,
      queues: multiqueue ? Math.min(vcpus, MAX_QUEUES) : undefined,
      driver: multiqueue ? (options.accelerator === 'kvm' ? 'vhost' : 'qemu') : undefined,
      linkState: linkState(nic),
      bootOrder: nic.bootOrder,
      acpiIndex: nic.acpiIndex,
      pciAddress: pciAddress(nic.pciAddress, `${field}.pciAddress`),
    };
  });
}

/** Those that the machine has or is to have, with the path of each. */
export function wantedInterfaces(spec: VmiSpec) {
  const interfaces = spec.domain?.devices?.interfaces ?? [];
  return interfaces
    .map((nic, index) => ({ nic, field: `spec.domain.devices.interfaces[${index}]` }))
    .filter(({ nic }) => nic.state !== 'absent');
}

export function linkState({ state }: { state?: string }): 'up' | 'down' {
  return state === 'down' ? 'down' : 'up';
}
