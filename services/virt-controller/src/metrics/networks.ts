import type { Interface, VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@yagura/api';
import { type Family, gauge, type Series, type SeriesLabels } from '@yagura/runtime/metrics';

const VNIC_HELP = 'binding and network of an interface in the spec; always 1.';

export const NETWORKS = {
  addresses: gauge(
    'kubevirt_vmi_status_addresses',
    'First address of an interface of a virtual machine instance (type ExternalInterface), or none (SystemInterface).',
  ),
  vmiVnic: gauge('kubevirt_vmi_vnic_info', `Virtual machine instance: ${VNIC_HELP}`),
  vmVnic: gauge('kubevirt_vm_vnic_info', `Virtual machine: ${VNIC_HELP}`),
};

export function vmiNetworkSeries(vmi: VirtualMachineInstance): Series[] {
  return [...addressSeries(vmi), ...vnicSeries(NETWORKS.vmiVnic, vmi.metadata, vmi.spec)];
}

export function vmNetworkSeries({ metadata, spec }: VirtualMachine): Series[] {
  return vnicSeries(NETWORKS.vmVnic, metadata, spec.template.spec);
}

function addressSeries({ metadata, status }: VirtualMachineInstance): Series[] {
  const { namespace, name } = metadata;
  const series = (status?.interfaces ?? []).flatMap((nic): Series[] => {
    if (!nic.ipAddress && !nic.name && !nic.interfaceName) return [];
    const labels = {
      node: status?.nodeName,
      namespace,
      name,
      vnic_name: nic.name,
      interface_name: nic.interfaceName,
      address: nic.ipAddress,
      type: nic.ipAddress ? 'ExternalInterface' : 'SystemInterface',
    };
    return [{ family: NETWORKS.addresses, labels, value: 1 }];
  });
  return [...new Map(series.map((one) => [JSON.stringify(one.labels), one])).values()];
}

function vnicSeries(
  family: Family,
  { name, namespace }: { name: string; namespace?: string },
  { domain, networks = [] }: VirtualMachineInstanceSpec,
): Series[] {
  return (domain.devices.interfaces ?? []).flatMap((nic): Series[] => {
    const network = networks.find((candidate) => candidate.name === nic.name);
    const network_name = network?.pod ? 'pod networking' : network?.multus?.networkName;
    if (network_name === undefined) return [];
    const labels = {
      name,
      namespace,
      vnic_name: nic.name,
      ...binding(nic),
      network: network_name,
      model: nic.model ?? '<none>',
    };
    return [{ family, labels, value: 1 }];
  });
}

function binding(nic: Interface): SeriesLabels {
  if (nic.binding) return { binding_type: 'plugin', binding_name: nic.binding.name };
  const name = (['masquerade', 'bridge', 'sriov'] as const).find((candidate) => nic[candidate] !== undefined);
  return name === undefined ? {} : { binding_type: 'core', binding_name: name };
}
