import type { PersistentVolumeClaim } from '@yagura/api';
import { formatKey, type KubeObject, keyOf } from '@yagura/kube';
import { errorMessage, type Logger } from '@yagura/runtime';
import { type Family, type Registry, registerFamilies, type Series } from '@yagura/runtime/metrics';
import type { Caches } from '../caches.ts';
import { NETWORKS, vmiNetworkSeries, vmNetworkSeries } from './networks.ts';
import { phaseTimes } from './phase-times.ts';
import { RESOURCES, vmResourceSeries } from './vm-resources.ts';
import { VM, vmStatusSeries } from './vm-status.ts';
import { countSeries, instanceSeries, VMI } from './vmi-info.ts';

const FAMILIES = [VMI, NETWORKS, VM, RESOURCES].flatMap((group) => Object.values<Family>(group));

export type ObjectCaches = Pick<Caches, 'vms' | 'vmis' | 'claims' | 'podsOf' | 'config'>;

/**
 * Puts what the objects say into the registry. The leader alone tells it: with two replicas everything would count
 * twice. Call before the caches run.
 */
export function registerObjectMetrics(
  registry: Registry,
  caches: ObjectCaches,
  leading: () => boolean,
  log: Pick<Logger, 'warn'>,
): void {
  registerFamilies(registry, FAMILIES, () => (leading() ? objectSeries(caches, log) : []));
  const observe = phaseTimes(registry);
  caches.vmis.onChange((change) => {
    if (leading()) observe(change);
  });
}

function objectSeries(caches: ObjectCaches, log: Pick<Logger, 'warn'>): Series[] {
  const claimOf =
    (namespace = '') =>
    (name: string): PersistentVolumeClaim | undefined =>
      caches.claims.store.get(formatKey({ namespace, name }));
  const vmis = caches.vmis.store.list();
  return [
    ...told(vmis, log, (vmi) => [...instanceSeries(vmi, caches.podsOf(vmi), caches.config), ...vmiNetworkSeries(vmi)]),
    ...countSeries(vmis),
    ...told(caches.vms.store.list(), log, (vm) => [
      ...vmStatusSeries(vm),
      ...vmNetworkSeries(vm),
      ...vmResourceSeries(vm, claimOf(vm.metadata.namespace)),
    ]),
  ];
}

/** An object that cannot be told of, e.g. for a quantity that is none, costs only its own series. */
function told<T extends KubeObject>(
  objects: readonly T[],
  log: Pick<Logger, 'warn'>,
  seriesOf: (object: T) => Series[],
): Series[] {
  return objects.flatMap((object) => {
    try {
      return seriesOf(object);
    } catch (error) {
      log.warn({ object: keyOf(object), kind: object.kind, reason: errorMessage(error) }, 'no metrics of an object');
      return [];
    }
  });
}
