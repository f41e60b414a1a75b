import type { KubeClient } from './client.ts';
import type { Lease, LeaseAccess, LeaseSpec } from './leader-elector.ts';
import { defineResource } from './resources.ts';

const resource = defineResource<Lease>('coordination.k8s.io/v1', 'Lease', 'leases');
const timeoutMs = 5_000;

/** The Lease object of one election. */
export function leaseAccess(client: KubeClient, namespace: string, name: string): LeaseAccess {
  return {
    get: (signal) => client.get(resource, { namespace, name }, { timeoutMs }, signal),
    create: (spec: LeaseSpec, signal) =>
      client.create(resource, { metadata: { namespace, name }, spec }, { timeoutMs }, signal),
    update: (lease, signal) => client.update(resource, lease, { timeoutMs }, signal),
  };
}
