import { LABELS, type VirtualMachine, type VirtualMachineInstance, type VirtualMachineSpec } from '@yagura/api';
import {
  controllerOf,
  controllerReference,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
} from '@yagura/kube';
import { ControllerRevisions, VirtualMachines } from '../resources.ts';

/** apps/v1 ControllerRevision: what a virtual machine asked for when an instance was made of it. */
export interface ControllerRevision extends KubeObject {
  data?: { spec?: VirtualMachineSpec };
  revision: number;
}

interface Revision {
  name: string;
  /** Names of those of earlier starts. */
  earlier: string[];
}

/** Keeps what the virtual machine asks for now, to be compared with what it asks for later. One write for a generation. */
export async function keepRevision(client: KubeClient, vm: VirtualMachine, signal: AbortSignal): Promise<Revision> {
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
  return { name, earlier: names.filter((other) => other !== undefined && other !== name) as string[] };
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

/** Those that are left are found again at the next start, and go with the virtual machine at the latest. */
export async function dropRevisions(
  client: KubeClient,
  { metadata: { namespace = '' } }: VirtualMachineInstance,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    await client.delete(ControllerRevisions, { namespace, name }, {}, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
