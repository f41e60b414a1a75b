import type { KubeObject, Resource } from './objects.ts';

/** Declares a resource; give the object type as the type argument. */
export function defineResource<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): Resource<T> {
  const slash = apiVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: slash < 0 ? apiVersion : apiVersion.slice(slash + 1),
    kind,
    plural,
    namespaced: scope === 'Namespaced',
  };
}

/** An object of a kind whose fields the caller reads with care. */
export type Loose = KubeObject & Record<string, unknown>;

export const Pods = defineResource<Loose>('v1', 'Pod', 'pods');
export const Nodes = defineResource<Loose>('v1', 'Node', 'nodes', 'Cluster');
export const Namespaces = defineResource<Loose>('v1', 'Namespace', 'namespaces', 'Cluster');
export const Secrets = defineResource<Loose>('v1', 'Secret', 'secrets');
export const ConfigMaps = defineResource<Loose>('v1', 'ConfigMap', 'configmaps');
export const Services = defineResource<Loose>('v1', 'Service', 'services');
export const Events = defineResource<Loose>('v1', 'Event', 'events');
export const PersistentVolumeClaims = defineResource<Loose>('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const Leases = defineResource<Loose>('coordination.k8s.io/v1', 'Lease', 'leases');
export const ControllerRevisions = defineResource<Loose>('apps/v1', 'ControllerRevision', 'controllerrevisions');
export const ApiServices = defineResource<Loose>('apiregistration.k8s.io/v1', 'APIService', 'apiservices', 'Cluster');
export const MutatingWebhookConfigurations = defineResource<Loose>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'Cluster',
);
export const ValidatingWebhookConfigurations = defineResource<Loose>(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
);
export const SubjectAccessReviews = defineResource<Loose>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
);
