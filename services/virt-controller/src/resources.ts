import {
  DATA_VOLUMES,
  type DataVolume,
  KUBEVIRTS,
  type KubeVirt,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@yagura/api';
import { defineResource, type Resource } from '@yagura/kube';
import type { ControllerRevision } from './vm/revisions.ts';

export const VirtualMachines: Resource<VirtualMachine> = VIRTUAL_MACHINES;
export const VirtualMachineInstances: Resource<VirtualMachineInstance> = VIRTUAL_MACHINE_INSTANCES;
export const KubeVirts: Resource<KubeVirt> = KUBEVIRTS;
export const Pods = defineResource<Pod>('v1', 'Pod', 'pods');
export const Nodes = defineResource<Node>('v1', 'Node', 'nodes', 'Cluster');
export const ControllerRevisions = defineResource<ControllerRevision>(
  'apps/v1',
  'ControllerRevision',
  'controllerrevisions',
);
export const PersistentVolumeClaims = defineResource<PersistentVolumeClaim>(
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
export const DataVolumes: Resource<DataVolume> = DATA_VOLUMES;
