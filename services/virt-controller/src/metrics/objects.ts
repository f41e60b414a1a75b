import type { PersistentVolumeClaim } from '@yagura/api';
import { formatKey } from '@yagura/kube';
import { type Family, type Registry, registerFamilies, type Series } from '@yagura/runtime/metrics';
import type { Caches } from '../caches.ts';
import { NETWORKS, vmiNetworkSeries, vmNetworkSeries } from './networks.ts';
import { phaseTimes } from './phase-times.ts';
import { RESOURCES, vmResourceSeries } from './vm-resources.ts';
import { VM, vmStatusSeries } from './vm-status.ts';
import { VMI, vmiSeries } from './vmi-info.ts';

const FAMILIES = [VMI, NETWORKS, VM, RESOURCES].flatMap((group) => Object.values<Family>(group));

export type ObjectCaches = Pick<Caches, 'vms' | 'vmis' | 'claims' | 'podsOf' | 'config'>;

/**
 * Puts what the objects say into the registry. The leader alone tells it: with two replicas everything would count
 * twice. Call before the caches run.
 */
export function registerObjectMetrics(registry: Registry, caches: ObjectCaches, leading: () => boolean): void {
  registerFamilies(registry, FAMILIES, () => (leading() ? objectSeries(caches) : []));
  const observe = phaseTimes(registry);
  caches.vmis.onChange((change) => {
    if (leading()) observe(change);
  });
}

function objectSeries(caches: ObjectCaches): Series[] {
  const [vms, vmis] = [caches.vms.store.list(), caches.vmis.store.list()];
  const claimOf =
    (namespace = '') =>
    (name: string): PersistentVolumeClaim | undefined =>
      caches.claims.store.get(formatKey({ namespace, name }));
  return [
    ...vmiSeries(vmis, (vmi) => caches.podsOf(vmi), caches.config),
    ...vmis.flatMap(vmiNetworkSeries),
    ...vms.flatMap(vmStatusSeries),
    ...vms.flatMap(vmNetworkSeries),
    ...vms.flatMap((vm) => vmResourceSeries(vm, claimOf(vm.metadata.namespace))),
  ];
}
