import {
  LABELS,
  type Pod,
  VIRTUAL_MACHINE_INSTANCE_MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigration,
} from '@yagura/api';
import { controllerOf, defineResource, isNotFound, type KubeClient, type Resource } from '@yagura/kube';

const Vmis: Resource<VirtualMachineInstance> = VIRTUAL_MACHINE_INSTANCES;
const Migrations: Resource<VirtualMachineInstanceMigration> = VIRTUAL_MACHINE_INSTANCE_MIGRATIONS;
const Pods = defineResource<Pod>('v1', 'Pod', 'pods');

/** Well below the time-out of a webhook, so that there is time to say what could not be found out. */
const TIMEOUT_MS = 4_000;

/** What webhooks ask the cluster about, as it is now. */
export interface ClusterObjects {
  pod(namespace: string, name: string): Promise<Pod | undefined>;
  /** The instance that controls the pod, directly or, for a pod of hot-plugged volumes, by the launcher pod. */
  instanceOf(pod: Pod): Promise<VirtualMachineInstance | undefined>;
  vmi(namespace: string, name: string): Promise<VirtualMachineInstance | undefined>;
  migrationsOf(namespace: string, vmiName: string): Promise<readonly VirtualMachineInstanceMigration[]>;
  /** Tells the instance that it is to leave the node. */
  markForEvacuation(vmi: VirtualMachineInstance, node: string): Promise<void>;
}

export function clusterObjects(client: Pick<KubeClient, 'get' | 'list' | 'patch'>): ClusterObjects {
  const options = { timeoutMs: TIMEOUT_MS };
  const pod: ClusterObjects['pod'] = (namespace, name) => client.get(Pods, { namespace, name }, options).catch(absent);
  const vmi: ClusterObjects['vmi'] = (namespace, name) => client.get(Vmis, { namespace, name }, options).catch(absent);

  async function instanceOf(of: Pod, depth = 1): Promise<VirtualMachineInstance | undefined> {
    const owner = controllerOf(of);
    const namespace = of.metadata.namespace ?? '';
    if (owner?.kind === 'VirtualMachineInstance') {
      const found = await vmi(namespace, owner.name);
      return found?.metadata.uid === owner.uid ? found : undefined;
    }
    const launcher = owner?.kind === 'Pod' && depth > 0 ? await pod(namespace, owner.name) : undefined;
    return launcher?.metadata.uid === owner?.uid && launcher ? instanceOf(launcher, depth - 1) : undefined;
  }

  return {
    pod,
    vmi,
    instanceOf: (of) => instanceOf(of),
    migrationsOf: async (namespace, vmiName) =>
      (await client.list(Migrations, { namespace, labelSelector: `${LABELS.migrationVmiName}=${vmiName}`, ...options }))
        .items,
    markForEvacuation: async ({ metadata: { namespace = '', name, uid } }, node) => {
      const body = [
        { op: 'test' as const, path: '/metadata/uid', value: uid },
        { op: 'add' as const, path: '/status/evacuationNodeName', value: node },
      ];
      await client.patch(Vmis, { namespace, name }, { type: 'json', body }, options);
    },
  };
}

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
