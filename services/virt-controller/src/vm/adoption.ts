import { ANNOTATIONS, FINALIZERS, type VirtualMachine, type VirtualMachineInstance } from '@yagura/api';
import { controllerOf, controllerReference, isNotFound, type KubeClient } from '@yagura/kube';
import { patchObject } from '../patch-object.ts';
import { VirtualMachineInstances, VirtualMachines } from '../resources.ts';

export function isInstanceOf(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  return controllerOf(vmi)?.uid === vm.metadata.uid;
}

/** Whether an instance of the machine's name has lost its controller: one that a machine of this name once started, and nobody's now. */
export function isLost(vmi: VirtualMachineInstance): boolean {
  const { annotations, deletionTimestamp } = vmi.metadata;
  return !deletionTimestamp && !controllerOf(vmi) && annotations?.[ANNOTATIONS.vmGeneration] !== undefined;
}

/** The instance with the machine as its controller. */
export function adopted(vmi: VirtualMachineInstance, vm: VirtualMachine): VirtualMachineInstance {
  const { ownerReferences = [], finalizers = [] } = vmi.metadata;
  const ours: string = FINALIZERS.vmController;
  return {
    ...vmi,
    metadata: {
      ...vmi.metadata,
      ownerReferences: [...ownerReferences, controllerReference(vm, VirtualMachines)],
      finalizers: finalizers.includes(ours) ? finalizers : [...finalizers, ours],
    },
  };
}

/**
 * Takes a lost instance for the machine's own; undefined when the machine goes, or has gone, itself.
 * A machine that is deleted with orphans loses its instance before our view shows the deletion: so the API server is asked.
 */
export async function adopt(
  client: KubeClient,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance,
  signal: AbortSignal,
): Promise<VirtualMachineInstance | undefined> {
  const { namespace = '', name, uid } = vm.metadata;
  const now = await client.get(VirtualMachines, { namespace, name }, {}, signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
  if (now?.metadata.uid !== uid || now?.metadata.deletionTimestamp) return undefined;
  return patchObject(client, VirtualMachineInstances, vmi, adopted(vmi, vm), {}, signal);
}
