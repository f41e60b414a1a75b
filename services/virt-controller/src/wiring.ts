import type { Node, PersistentVolumeClaim, Pod, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { type Controller, controllerOf, type KubeObject, keyOf, type ObjectName } from '@yagura/kube';
import type { Caches } from './caches.ts';

export interface Controllers {
  vms: Controller;
  vmis: Controller;
  nodes: Controller;
  installation: Controller;
}

/** Which controller looks at which object when something changes. */
export function connect(caches: Caches, { vms, vmis, nodes, installation }: Controllers): void {
  caches.vms.onChange(({ object }: { object: VirtualMachine }) => {
    vms.enqueue(nameOf(object));
    // An instance that ended waits until its virtual machine has taken note.
    if (caches.vmis.store.get(`${object.metadata.namespace}/${object.metadata.name}`)?.metadata.deletionTimestamp) {
      vmis.enqueue(nameOf(object));
    }
  });
  caches.vmis.onChange(({ object }: { object: VirtualMachineInstance }) => {
    vmis.enqueue(nameOf(object));
    // By name, not by owner: one that has lost its owner is for the machine of its name to take.
    if (caches.vms.store.get(keyOf(object))) vms.enqueue(nameOf(object));
  });
  caches.pods.onChange(({ object }: { object: Pod }) => {
    const owner = controllerOf(object);
    const { namespace } = object.metadata;
    if (owner?.kind === 'VirtualMachineInstance' && namespace) vmis.enqueue({ namespace, name: owner.name });
  });
  caches.attachments.onChange(({ object }: { object: Pod }) => {
    const launcher = caches.pods.store.list().find(({ metadata }) => metadata.uid === controllerOf(object)?.uid);
    const owner = launcher && controllerOf(launcher);
    const { namespace } = object.metadata;
    if (owner && namespace) vmis.enqueue({ namespace, name: owner.name });
  });
  caches.claims.onChange(({ object }: { object: PersistentVolumeClaim }) => {
    for (const vmi of caches.vmis.store.byIndex('byClaim', keyOf(object))) vmis.enqueue(nameOf(vmi));
  });
  caches.nodes.onChange(({ object }: { object: Node }) => nodes.enqueue(nameOf(object)));
  caches.kubevirts.onChange(({ object }) => installation.enqueue(nameOf(object)));
}

/** Has the instances of a node looked at again. */
export function revisitNode(caches: Caches, vmis: Controller, node: string): void {
  for (const vmi of caches.vmis.store.byIndex('byNode', node)) vmis.enqueue(nameOf(vmi));
}

function nameOf({ metadata }: KubeObject): ObjectName {
  return { name: metadata?.name ?? '', ...(metadata?.namespace ? { namespace: metadata.namespace } : {}) };
}
