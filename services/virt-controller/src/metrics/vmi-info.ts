import {
  type ClusterConfig,
  findCondition,
  LABELS,
  memoryOverhead,
  type Pod,
  quantityValue,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import { gauge, type Series, type SeriesLabels } from '@yagura/runtime/metrics';
import { systemLabels } from './labels.ts';

export const VMI = {
  info: gauge('kubevirt_vmi_info', 'What a virtual machine instance is and how it stands; always 1.'),
  phaseCount: gauge('kubevirt_vmi_phase_count', 'Virtual machine instances, by phase and what they are.'),
  nonEvictable: gauge(
    'kubevirt_vmi_non_evictable',
    'Whether a virtual machine instance is to be migrated when its node is drained and cannot be: 1 or 0.',
  ),
  outdated: gauge(
    'kubevirt_vmi_number_of_outdated',
    'Virtual machine instances whose launcher is not of the installed version.',
  ),
  overhead: gauge(
    'kubevirt_vmi_launcher_memory_overhead_bytes',
    'Memory that a launcher pod needs beyond that of its guest.',
  ),
};

/** How many instances there are of each kind, and with an old launcher. */
export function countSeries(vmis: readonly VirtualMachineInstance[]): Series[] {
  const alike = Map.groupBy(vmis, (vmi) => JSON.stringify(kindLabels(vmi)));
  return [
    ...[...alike.values()].flatMap(([first, ...others]): Series[] =>
      first === undefined ? [] : [{ family: VMI.phaseCount, labels: kindLabels(first), value: 1 + others.length }],
    ),
    { family: VMI.outdated, labels: {}, value: vmis.filter(isOutdated).length },
  ];
}

/** What an instance is. @param pods its launcher pods */
export function instanceSeries(vmi: VirtualMachineInstance, pods: readonly Pod[], config: ClusterConfig): Series[] {
  const { namespace, name } = vmi.metadata;
  const node = vmi.status?.nodeName;
  const evictable = isEvictable(vmi, config);
  const pod = pods.find(({ spec, status }) => status?.phase === 'Running' && spec.nodeName === node);
  const overhead = vmi.status?.memory?.memoryOverhead;
  return [
    {
      family: VMI.info,
      labels: {
        namespace,
        name,
        ...kindLabels(vmi),
        evictable: String(evictable),
        outdated: String(isOutdated(vmi)),
        vmi_pod: pod?.metadata.name,
      },
      value: 1,
    },
    { family: VMI.nonEvictable, labels: { node, namespace, name }, value: evictable ? 0 : 1 },
    {
      family: VMI.overhead,
      labels: { namespace, name },
      value: Number(overhead === undefined ? memoryOverhead(vmi, config) : quantityValue(overhead)),
    },
  ];
}

function kindLabels({ metadata, status }: VirtualMachineInstance): SeriesLabels {
  const os = status?.guestOSInfo;
  return {
    node: status?.nodeName,
    phase: status?.phase?.toLowerCase(),
    ...systemLabels(metadata.annotations),
    guest_os_kernel_release: os?.kernelRelease,
    guest_os_machine: status?.machine?.type,
    guest_os_arch: os?.machine,
    guest_os_name: os?.name,
    guest_os_version_id: os?.versionId,
  };
}

/** One that migrates only where that is possible stands in nobody's way. Not known to be migratable is not migratable. */
function isEvictable(vmi: VirtualMachineInstance, config: ClusterConfig): boolean {
  if ((vmi.spec.evictionStrategy ?? config.evictionStrategy) !== 'LiveMigrate') return true;
  return findCondition(vmi, VMI_CONDITIONS.liveMigratable)?.status === 'True';
}

function isOutdated({ metadata }: VirtualMachineInstance): boolean {
  return metadata.labels?.[LABELS.outdatedLauncherImage] !== undefined;
}
