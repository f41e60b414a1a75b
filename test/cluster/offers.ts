import { kubectl, tryKubectl } from './kubectl.ts';
import type { Step } from './steps.ts';

export interface NodeList {
  readonly items: readonly { readonly status?: { readonly allocatable?: Readonly<Record<string, string>> } }[];
}

/** Whether guests can have KVM on some node. virt-handler tells the kubelet: before it runs, no node offers it. */
export function offersKvm({ items }: NodeList): boolean {
  return items.some(({ status }) => (status?.allocatable?.['devices.kubevirt.io/kvm'] ?? '0') !== '0');
}

/** What there is in a cluster that is not ours to furnish. */
export interface Furnishing {
  /** Names of StorageClasses marked as default. */
  readonly defaultStorageClasses: readonly string[];
  /** Whether the API has NetworkAttachmentDefinitions. */
  readonly attachments: boolean;
  /** Names of DaemonSets. */
  readonly daemonSets: readonly string[];
}

/** What tests and machines expect of a cluster besides its nodes, each as found or as missing, with what that means. */
export function describeFurnishing({ defaultStorageClasses, attachments, daemonSets }: Furnishing): string {
  const [storage] = defaultStorageClasses;
  const multus = daemonSets.find((name) => name.includes('multus'));
  return [
    storage === undefined
      ? 'no default StorageClass (a claim that names no class stays Pending)'
      : `StorageClass ${storage}`,
    !attachments
      ? 'no Multus (machines have the pod network only)'
      : multus === undefined
        ? 'NetworkAttachmentDefinitions, served by something that is not Multus'
        : `Multus (${multus})`,
  ].join('; ');
}

interface NamedList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  }[];
}

async function named(resource: string, signal: AbortSignal, ...args: string[]): Promise<NamedList['items']> {
  return (JSON.parse(await kubectl(['get', resource, ...args, '-o', 'json'], undefined, signal)) as NamedList).items;
}

/** Tells what a cluster of somebody else's offers; nothing is installed into it but the product. */
export const furnishingStep: Step = {
  name: 'storage and networks',
  after: ['ready'],
  run: async ({ signal }) => {
    const definitions = 'customresourcedefinition/network-attachment-definitions.k8s.cni.cncf.io';
    const [classes, attachments, daemonSets] = await Promise.all([
      named('storageclasses', signal),
      tryKubectl(['get', definitions], signal),
      named('daemonsets', signal, '--all-namespaces'),
    ]);
    const isDefault = 'storageclass.kubernetes.io/is-default-class';
    return describeFurnishing({
      defaultStorageClasses: classes
        .filter(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
        .map(({ metadata }) => metadata.name),
      attachments: attachments !== undefined,
      daemonSets: daemonSets.map(({ metadata }) => metadata.name),
    });
  },
};
