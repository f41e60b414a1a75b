import { findCondition, type KubeVirt, LABELS } from '@yagura/api';
import {
  type Clock,
  defineResource,
  type EventRecorder,
  formatKey,
  isNotFound,
  type KubeClient,
  type Loose,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
  type Resource,
  rfc3339,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { patchObject } from '../patch-object.ts';
import { KubeVirts } from '../resources.ts';
import { installationStatus, SETTINGS_IGNORED, type Workload } from './plan.ts';

const Deployments = defineResource<Loose>('apps/v1', 'Deployment', 'deployments');
const DaemonSets = defineResource<Loose>('apps/v1', 'DaemonSet', 'daemonsets');

const WHILE_MISSING_MS = 2_000;
const WHILE_WELL_MS = 60_000;

export interface InstallationControllerOptions {
  client: KubeClient;
  caches: Caches;
  events: Pick<EventRecorder, 'warning'>;
  clock: Clock;
  version: string;
}

/** Tells in the KubeVirt object whether the product is all there. */
export class InstallationController {
  readonly #options: InstallationControllerOptions;

  constructor(options: InstallationControllerOptions) {
    this.#options = options;
  }

  async reconcile(request: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { client, caches, clock, version } = this.#options;
    const kubevirt = caches.kubevirts.store.get(formatKey(request));
    if (!kubevirt || kubevirt.metadata.deletionTimestamp) return {};
    const namespace = kubevirt.metadata.namespace ?? '';
    const workloads = await Promise.all([
      this.#workload(Deployments, namespace, 'virt-api', 'replicas', 'availableReplicas', signal),
      this.#workload(DaemonSets, namespace, 'virt-handler', 'desiredNumberScheduled', 'numberAvailable', signal),
    ]);
    const outdated = caches.vmis.store
      .list()
      .filter(({ metadata }) => metadata.labels?.[LABELS.outdatedLauncherImage] !== undefined);
    const status = installationStatus({
      kubevirt,
      workloads,
      version,
      outdatedInstances: outdated.length,
      now: rfc3339(clock.now()),
    });
    const written = await patchObject(
      client,
      KubeVirts,
      kubevirt,
      { ...kubevirt, status },
      { subresource: 'status' },
      signal,
    );
    if (written) {
      caches.kubevirts.observe(written);
      this.#tellIgnored(kubevirt, written);
    }
    const well = workloads.every(({ wanted, available }) => available >= Math.max(1, wanted));
    return { requeueAfterMs: well ? WHILE_WELL_MS : WHILE_MISSING_MS };
  }

  /** The event for whoever has just set what has no effect. */
  #tellIgnored(before: KubeVirt, after: KubeVirt): void {
    const now = findCondition(after, SETTINGS_IGNORED);
    if (!now || now.message === findCondition(before, SETTINGS_IGNORED)?.message) return;
    this.#options.events.warning(subjectOf(KubeVirts, after), 'UnsupportedSettings', now.message ?? '');
  }

  async #workload(
    resource: Resource<Loose>,
    namespace: string,
    name: string,
    wanted: string,
    available: string,
    signal: AbortSignal,
  ): Promise<Workload> {
    try {
      const object = await this.#options.client.get(resource, { namespace, name }, {}, signal);
      const status = (object['status'] ?? {}) as Record<string, number | undefined>;
      return { name, wanted: status[wanted] ?? 0, available: status[available] ?? 0 };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { name, wanted: 1, available: 0 };
    }
  }
}
