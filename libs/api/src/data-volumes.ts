import { findCondition } from './conditions.ts';
import type { Condition, KubernetesObject } from './kubernetes.ts';
import { LABELS } from './labels.ts';
import { API_VERSION } from './names.ts';
import type { VirtualMachine, VirtualMachineSpec } from './types.ts';

/** cdi.kubevirt.io/v1beta1 DataVolume, as far as it is read here. */
export interface DataVolume extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: { phase?: string; progress?: string; conditions?: Condition[] };
}

export const DATA_VOLUMES = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  kind: 'DataVolume',
  namespaced: true,
} as const;

export type DataVolumeTemplate = NonNullable<VirtualMachineSpec['dataVolumeTemplates']>[number];

/** `ready`: a pod may be made for it, be it filled already or waiting for its first consumer. */
export type DataVolumeState = 'ready' | 'provisioning' | 'error';

const READY = ['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'];
const FAILED = ['Failed', 'Unknown'];

export function dataVolumeState(volume: DataVolume): DataVolumeState {
  const phase = volume.status?.phase ?? '';
  if (READY.includes(phase)) return 'ready';
  const running = findCondition(volume, 'Running');
  const stuck = running?.status === 'False' && running.reason === 'Error';
  return FAILED.includes(phase) || stuck ? 'error' : 'provisioning';
}

/** The DataVolume that a template of a virtual machine asks for; it goes with the virtual machine. */
export function dataVolumeOf(vm: VirtualMachine, { metadata, spec }: DataVolumeTemplate): DataVolume {
  const { namespace, name: owner, uid } = vm.metadata;
  if (!namespace || !uid) throw new TypeError(`VirtualMachine ${owner} has no namespace or uid: it is not stored`);
  return {
    metadata: {
      name: metadata.name,
      namespace,
      labels: { ...metadata.labels, [LABELS.createdBy]: uid },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ownerReferences: [
        {
          apiVersion: API_VERSION,
          kind: 'VirtualMachine',
          name: owner,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec,
  };
}
