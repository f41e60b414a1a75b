import {
  ConfigMaps,
  isNotFound,
  type KubeClient,
  type KubeObject,
  Leases,
  Nodes,
  type Resource,
  Secrets,
} from '@yagura/kube';
import type { Logger } from '@yagura/runtime';

/** What the components made in the product's namespace by themselves, and the chart therefore does not know. */
const LEFT: readonly [Resource, readonly string[]][] = [
  [
    Secrets,
    [
      'kubevirt-ca',
      'kubevirt-virt-api-certs',
      'kubevirt-virt-handler-server-certs',
      'kubevirt-virt-handler-certs',
      'kubevirt-controller-certs',
    ],
  ],
  [ConfigMaps, ['kubevirt-ca']],
  [Leases, ['virt-controller']],
];

/** `helm uninstall`'s last hook: removes what is left of us in the cluster. Safe to repeat. */
export async function uninstallClean(
  client: Pick<KubeClient, 'delete' | 'listAll' | 'patch' | 'access'>,
  log: Pick<Logger, 'info'>,
  namespace = process.env['POD_NAMESPACE'] ?? client.access.namespace,
): Promise<void> {
  const leases = await client.listAll(Leases, { namespace, labelSelector: 'kubevirt.io=virt-handler' });
  const ofNodes = leases.items.map(({ metadata }) => metadata?.name ?? '');
  for (const [resource, names] of [...LEFT, [Leases, ofNodes] as const]) {
    for (const name of names) {
      const gone = await client.delete(resource, { namespace, name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (gone !== undefined) log.info({ kind: resource.kind, name }, 'deleted');
    }
  }
  const { items } = await client.listAll(Nodes);
  for (const node of items) {
    const body = withoutOurs(node);
    if (body === undefined) continue;
    await client.patch(Nodes, { name: node.metadata?.name ?? '' }, { type: 'merge', body });
    log.info({ node: node.metadata?.name }, 'labels and annotations removed');
  }
}

/** A merge patch that removes every label and annotation of ours; undefined when there is none. */
export function withoutOurs(node: KubeObject): object | undefined {
  const nulls = (entries: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.keys(entries)
        .filter(isOurs)
        .map((key) => [key, null]),
    );
  const labels = nulls(node.metadata?.labels);
  const annotations = nulls(node.metadata?.annotations);
  if (Object.keys(labels).length + Object.keys(annotations).length === 0) return undefined;
  return { metadata: { labels, annotations } };
}

/** `kubevirt.io/x`, `cpu-model.node.kubevirt.io/x` and the like, and the one label without a prefix. */
function isOurs(key: string): boolean {
  return /(^|\.)kubevirt\.io\//.test(key) || key === 'cpumanager';
}
