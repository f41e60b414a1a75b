import type { DataVolumeTemplate, VirtualMachine } from '@yagura/api';
import { defineResource, isNotFound, type KubeClient, type KubeObject } from '@yagura/kube';

/** Where the content of a volume is copied from. */
interface Origin {
  namespace?: string;
  name?: string;
}

interface Origins {
  pvc?: Origin;
  snapshot?: Origin;
  dataSource?: Origin;
}

interface DataSource extends KubeObject {
  spec?: { source?: Origins };
}

interface AccessReview extends KubeObject {
  spec: { user: string; groups: string[]; resourceAttributes: Record<string, string> };
  status?: { allowed?: boolean; reason?: string };
}

const DataSources = defineResource<DataSource>('cdi.kubevirt.io/v1beta1', 'DataSource', 'datasources');
const AccessReviews = defineResource<AccessReview>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
);
/** A DataSource may point to another one, but not for ever. */
const MAX_HOPS = 3;

/**
 * Whether the virtual machine may copy from where its template says. We create the DataVolume with rights of our own,
 * so the rights of the virtual machine's service account are asked for here.
 * @returns why not; undefined when it may
 */
export async function cloneRefusal(
  client: KubeClient,
  vm: VirtualMachine,
  template: DataVolumeTemplate,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace: own = '' } = vm.metadata;
  const origin = await originOf(client, template, own, signal);
  if (!origin || origin.namespace === own) return undefined;
  const account = serviceAccountOf(vm);
  const review = await client.create(
    AccessReviews,
    {
      spec: {
        user: `system:serviceaccount:${own}:${account}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${own}`, 'system:authenticated'],
        resourceAttributes: {
          ...origin,
          verb: 'create',
          group: 'cdi.kubevirt.io',
          resource: 'datavolumes',
          subresource: 'source',
        },
      },
    },
    {},
    signal,
  );
  if (review.status?.allowed === true) return undefined;
  return `service account ${own}/${account} may not clone ${origin.namespace}/${origin.name}: it needs the right to create datavolumes/source of cdi.kubevirt.io in namespace ${origin.namespace}`;
}

/** The claim or snapshot that is copied; undefined when the content comes from elsewhere. */
async function originOf(
  client: KubeClient,
  { spec }: DataVolumeTemplate,
  own: string,
  signal: AbortSignal,
): Promise<Required<Origin> | undefined> {
  const { source, sourceRef } = spec as { source?: Origins; sourceRef?: Origin };
  let origins: Origins = sourceRef ? { dataSource: sourceRef } : (source ?? {});
  let namespace = own;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const found = origins.pvc ?? origins.snapshot;
    if (found) return { namespace: found.namespace || namespace, name: found.name ?? '' };
    if (!origins.dataSource) return undefined;
    namespace = origins.dataSource.namespace || namespace;
    const name = origins.dataSource.name ?? '';
    try {
      origins = (await client.get(DataSources, { namespace, name }, {}, signal)).spec?.source ?? {};
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Nothing to copy: CDI will say so of the DataVolume. The right is asked for the namespace all the same.
      return { namespace, name };
    }
  }
  return { namespace, name: '' };
}

function serviceAccountOf({ spec }: VirtualMachine): string {
  const named = spec.template.spec.volumes?.find(({ serviceAccount }) => serviceAccount?.serviceAccountName);
  return named?.serviceAccount?.serviceAccountName ?? 'default';
}
