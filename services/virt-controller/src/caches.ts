import type { KubeVirt, Node, PersistentVolumeClaim, Pod, VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import {
  type ClusterConfig,
  claimNameOf,
  HOTPLUG_LABEL_VALUE,
  kubevirtConfig,
  LABELS,
  LAUNCHER_LABEL_VALUE,
} from '@yagura/api';
import { controllerOf, formatKey, Informer, type KubeClient } from '@yagura/kube';
import {
  KubeVirts,
  Nodes,
  PersistentVolumeClaims,
  Pods,
  VirtualMachineInstances,
  VirtualMachines,
} from './resources.ts';

/** What virt-controller knows of the cluster. */
export class Caches {
  readonly vms: Informer<VirtualMachine>;
  readonly vmis: Informer<VirtualMachineInstance>;
  readonly pods: Informer<Pod>;
  /** Pods that bring volumes to running guests. */
  readonly attachments: Informer<Pod>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly nodes: Informer<Node>;
  readonly kubevirts: Informer<KubeVirt>;

  constructor(client: KubeClient, installNamespace: string, onError: (error: unknown) => void) {
    this.vms = new Informer(client, VirtualMachines, { onError });
    this.vmis = new Informer(client, VirtualMachineInstances, {
      onError,
      indexers: {
        byNode: (vmi) => (vmi.status?.nodeName ? [vmi.status.nodeName] : []),
        byClaim: (vmi) =>
          (vmi.spec.volumes ?? []).flatMap((volume) => {
            const name = claimNameOf(volume);
            return name ? [formatKey({ namespace: vmi.metadata.namespace ?? '', name })] : [];
          }),
      },
    });
    this.pods = new Informer(client, Pods, {
      onError,
      labelSelector: `${LABELS.app}=${LAUNCHER_LABEL_VALUE}`,
      indexers: { byOwner: (pod) => [controllerOf(pod)?.uid ?? ''] },
    });
    this.attachments = new Informer(client, Pods, {
      onError,
      labelSelector: `${LABELS.app}=${HOTPLUG_LABEL_VALUE}`,
      indexers: { byOwner: (pod) => [controllerOf(pod)?.uid ?? ''] },
    });
    this.claims = new Informer(client, PersistentVolumeClaims, { onError });
    this.nodes = new Informer(client, Nodes, { onError, transform: withoutImages });
    this.kubevirts = new Informer(client, KubeVirts, { onError, namespace: installNamespace });
  }

  get all(): readonly {
    run(signal: AbortSignal): Promise<void>;
    synced(signal: AbortSignal): Promise<void>;
    readonly hasSynced: boolean;
  }[] {
    return [this.vms, this.vmis, this.pods, this.attachments, this.claims, this.nodes, this.kubevirts];
  }

  get hasSynced(): boolean {
    return this.all.every((informer) => informer.hasSynced);
  }

  /** The installation's settings as they are now. */
  get config(): ClusterConfig {
    return kubevirtConfig(this.kubevirts.store.list()[0]);
  }

  podsOf(vmi: VirtualMachineInstance): Pod[] {
    return vmi.metadata.uid ? this.pods.store.byIndex('byOwner', vmi.metadata.uid) : [];
  }

  nodeOf(vmi: VirtualMachineInstance): Node | undefined {
    return vmi.status?.nodeName ? this.nodes.store.get(vmi.status.nodeName) : undefined;
  }

  vmOf(vmi: VirtualMachineInstance): VirtualMachine | undefined {
    const owner = controllerOf(vmi);
    const { namespace } = vmi.metadata;
    if (owner?.kind !== 'VirtualMachine' || !namespace) return undefined;
    const vm = this.vms.store.get(formatKey({ namespace, name: owner.name }));
    return vm?.metadata.uid === owner.uid ? vm : undefined;
  }
}

/** A node lists every image it holds; nobody here asks. */
function withoutImages(node: Node): Node {
  const { managedFields: _, ...metadata } = node.metadata;
  return { ...node, metadata, status: { ...node.status, images: undefined } as NonNullable<Node['status']> };
}
