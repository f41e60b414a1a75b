import { LABELS, type VirtualMachine, type VirtualMachineInstance, type VirtualMachineSpec } from '@yagura/api';
import {
  controllerOf,
  controllerReference,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
} from '@yagura/kube';
import { ControllerRevisions, VirtualMachineInstances, VirtualMachines } from '../resources.ts';

/** apps/v1 ControllerRevision: what a virtual machine asked for when an instance was made of it. */
export interface ControllerRevision extends KubeObject {
  data?: { spec?: VirtualMachineSpec };
  revision: number;
}

/**
 * Keeps what the virtual machine asks for now, to be compared with what it asks for later, and nothing of earlier starts.
 * One write for a generation. To be called before each start, when there is no instance that an earlier one is kept for.
 * @returns the name under which it is kept
 */
export async function keepRevision(client: KubeClient, vm: VirtualMachine, signal: AbortSignal): Promise<string> {
  const { uid = '', generation = 0, namespace = '' } = vm.metadata;
  const name = `revision-start-vm-${uid}-${generation}`;
  const found = await client.list(
    ControllerRevisions,
    { namespace, labelSelector: `${LABELS.createdBy}=${uid}` },
    signal,
  );
  const names = found.items.filter((item) => controllerOf(item)?.uid === uid).map(({ metadata }) => metadata?.name);
  if (!names.includes(name)) {
    const revision: ControllerRevision = {
      metadata: {
        name,
        namespace,
        labels: { [LABELS.createdBy]: uid },
        ownerReferences: [controllerReference(vm, VirtualMachines)],
      },
      data: { spec: vm.spec },
      revision: generation,
    };
    await client.create(ControllerRevisions, revision, {}, signal).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  const earlier = names.filter((other) => other !== undefined && other !== name);
  // Our view may lack the instance that one of them is kept for: the API server does not.
  if (earlier.length === 0 || (await hasInstance(client, vm, signal))) return name;
  for (const other of earlier) {
    await client.delete(ControllerRevisions, { namespace, name: other ?? '' }, {}, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
  return name;
}

async function hasInstance(client: KubeClient, { metadata }: VirtualMachine, signal: AbortSignal): Promise<boolean> {
  const target = { namespace: metadata.namespace ?? '', name: metadata.name };
  return client.get(VirtualMachineInstances, target, {}, signal).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

/** What the virtual machine asked for when the instance was made; undefined when nobody knows any more. */
export async function startedSpec(
  client: KubeClient,
  vmi: VirtualMachineInstance,
  signal: AbortSignal,
): Promise<VirtualMachineSpec | undefined> {
  const name = vmi.status?.virtualMachineRevisionName;
  if (!name) return undefined;
  try {
    const { namespace = '' } = vmi.metadata;
    return (await client.get(ControllerRevisions, { namespace, name }, {}, signal)).data?.spec;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}
