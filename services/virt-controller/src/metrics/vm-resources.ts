import {
  claimNameOf,
  guestMemory,
  type PersistentVolumeClaim,
  type Quantity,
  quantityMillis,
  quantityValue,
  type VirtualMachine,
  vcpus,
} from '@yagura/api';
import { type Family, gauge, type Series } from '@yagura/runtime/metrics';

export const RESOURCES = {
  requests: gauge('kubevirt_vm_resource_requests', 'Memory and CPUs that the template of a virtual machine asks for.'),
  limits: gauge('kubevirt_vm_resource_limits', 'Limits of memory and CPUs in the template of a virtual machine.'),
  diskSize: gauge('kubevirt_vm_disk_allocated_size_bytes', 'Size that the claim behind a disk asks for.'),
};

/** What a virtual machine's template asks for. @param claimOf the claim of a name in the machine's namespace */
export function vmResourceSeries(
  vm: VirtualMachine,
  claimOf: (name: string) => PersistentVolumeClaim | undefined,
): Series[] {
  return [...memorySeries(vm), ...cpuSeries(vm), ...diskSeries(vm, claimOf)];
}

function memorySeries({ metadata, spec }: VirtualMachine): Series[] {
  const { domain } = spec.template.spec;
  const bytes = (family: Family, quantity: Quantity | undefined, source?: string) =>
    one(metadata, family, 'memory', 'bytes', quantity && Number(quantityValue(quantity)), source);
  return [
    ...bytes(RESOURCES.requests, domain.resources?.requests?.['memory'], 'domain'),
    ...bytes(RESOURCES.requests, domain.memory?.guest, 'guest'),
    ...bytes(RESOURCES.requests, domain.memory?.hugepages?.pageSize, 'hugepages'),
    ...bytes(RESOURCES.requests, guestMemory(spec.template.spec)?.toString(), 'guest_effective'),
    ...bytes(RESOURCES.limits, domain.resources?.limits?.['memory']),
  ];
}

function cpuSeries({ metadata, spec }: VirtualMachine): Series[] {
  const { cpu, resources } = spec.template.spec.domain;
  const requests = (unit: string, value: number | undefined, source: string) =>
    one(metadata, RESOURCES.requests, 'cpu', unit, value, source);
  const cores = (quantity: Quantity | undefined) => (quantity ? Number(quantityMillis(quantity)) / 1000 : undefined);
  const asked = resources?.requests?.['cpu'];
  const defaults = cpu === undefined && !asked;
  return [
    ...requests('cores', cpu?.cores, 'domain'),
    ...requests('threads', cpu?.threads, 'domain'),
    ...requests('sockets', cpu?.sockets, 'domain'),
    ...requests('cores', cores(asked), 'requests'),
    ...(defaults ? ['cores', 'threads', 'sockets'].flatMap((unit) => requests(unit, 1, 'default')) : []),
    ...requests('cores', vcpus(spec.template.spec), 'guest_effective'),
    ...one(metadata, RESOURCES.limits, 'cpu', 'cores', cores(resources?.limits?.['cpu'])),
  ];
}

/** None where nothing is asked for, which is also how a request of 0 is meant. */
function one(
  { name, namespace }: VirtualMachine['metadata'],
  family: Family,
  resource: string,
  unit: string,
  value: number | string | undefined,
  source?: string,
): Series[] {
  return value ? [{ family, labels: { name, namespace, resource, unit, source }, value: Number(value) }] : [];
}

function diskSeries(
  { metadata, spec }: VirtualMachine,
  claimOf: (name: string) => PersistentVolumeClaim | undefined,
): Series[] {
  const { name, namespace } = metadata;
  return (spec.template.spec.volumes ?? []).flatMap((volume): Series[] => {
    if (!volume.persistentVolumeClaim && !volume.dataVolume) return [];
    const claim = claimOf(claimNameOf(volume) ?? '');
    const size = claim?.spec?.resources?.requests?.['storage'];
    if (claim === undefined || size === undefined) return [];
    const labels = {
      name,
      namespace,
      persistentvolumeclaim: claim.metadata.name,
      volume_mode: claim.spec?.volumeMode,
      device: volume.name,
    };
    return [{ family: RESOURCES.diskSize, labels, value: Number(quantityValue(size)) }];
  });
}
