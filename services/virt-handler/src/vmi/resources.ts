import {
  KUBEVIRTS,
  type KubeVirt,
  type Node,
  type Pod,
  VIRTUAL_MACHINE_INSTANCES,
  type VirtualMachineInstance,
} from '@yagura/api';
import { defineResource, type Resource } from '@yagura/kube';

/** The kinds that virt-handler works with, with the types of their objects. */
export const Vmis: Resource<VirtualMachineInstance> = VIRTUAL_MACHINE_INSTANCES;
export const KubeVirts: Resource<KubeVirt> = KUBEVIRTS;
export const LauncherPods = defineResource<Pod>('v1', 'Pod', 'pods');
export const ClusterNodes = defineResource<Node>('v1', 'Node', 'nodes', 'Cluster');
