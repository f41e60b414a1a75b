import {
  ANNOTATIONS,
  type ClaimModes,
  defaultVirtualMachineInstance,
  findCondition,
  gracePeriodSeconds,
  isFinal,
  isOnNode,
  isUnprocessed,
  LABELS,
  POD_GRACE_MARGIN_SECONDS,
  type Pod,
  type PodGrowth,
  REASONS,
  type VirtualMachineInstance,
  VMI_CONDITIONS,
} from '@yagura/api';
import {
  type Clock,
  type EventRecorder,
  formatKey,
  isConflict,
  isNotFound,
  type KubeClient,
  KubeError,
  keyOf,
  type ObjectName,
  type ReconcileContext,
  type ReconcileResult,
  rfc3339,
  subjectOf,
} from '@yagura/kube';
import type { Caches } from '../caches.ts';
import { networksAnnotationChange } from '../networks/pod-networks.ts';
import { isUnresponsive } from '../nodes/heartbeat.ts';
import { nodeLoss } from '../nodes/node-loss.ts';
import { patchObject } from '../patch-object.ts';
import { refusalWords } from '../refusal-words.ts';
import { Pods, VirtualMachineInstances, VirtualMachines } from '../resources.ts';
import { isEndRecorded } from '../vm/start-failure.ts';
import { InstanceVolumes } from '../volumes/instance-volumes.ts';
import { storageReadiness } from '../volumes/storage.ts';
import { volumeNews } from '../volumes/volume-events.ts';
import { createPod } from './create-pod.ts';
import { VmiEvents } from './events.ts';
import { gateChange } from './gate.ts';
import { grantedOverhead, growthOf, resizePatch } from './growth.ts';
import type { Trouble } from './image-pull.ts';
import { planVmi, type VmiPlan } from './plan.ts';
import { currentPod, isPodOf, wasRefused } from './pods.ts';
import { refusedPodsToDrop, waitBeforeReplacing } from './replace.ts';

/** How long a pod may be gone before its instance is Failed: virt-handler may be about to say how the guest ended. */
const GONE_GRACE_MS = 3_000;

/** How often a volume that is being filled is looked at. */
const DATA_VOLUMES_MS = 5_000;

/** When a pod that the API server would not have is asked for again. */
const REFUSED_MS = 30_000;

export interface VmiControllerOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  launcherImage: string;
  /** A virt-handler that has not been heard of for so long is not there. */
  heartbeatTimeoutMs: number;
  clock: Clock;
  uuid: () => string;
}

/** Gives instances their launcher pods and tells in their status what becomes of these. */
export class VmiController {
  readonly #client: KubeClient;
  readonly #caches: Caches;
  readonly #events: VmiEvents;
  readonly #options: VmiControllerOptions;
  readonly #volumes: InstanceVolumes;
  /** When the pod of an instance was first missed, by `namespace/name`; with that of the instance as the next may have its name. */
  readonly #missingSince = new Map<string, { uid: string; since: number }>();

  constructor(options: VmiControllerOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#caches = options.caches;
    this.#events = new VmiEvents(options.events);
    this.#volumes = new InstanceVolumes(options);
  }

  /** Instances whose pods are missed right now. */
  get missed(): number {
    return this.#missingSince.size;
  }

  async reconcile(request: ObjectName, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const stored = this.#caches.vmis.store.get(formatKey(request));
    if (!stored) {
      this.#missingSince.delete(formatKey(request));
      return {};
    }
    const { clock } = this.#options;
    const now = rfc3339(clock.now());
    const vmi = this.#complete(stored, now);
    let pods = this.#caches.podsOf(vmi);
    const missing = await this.#missing(vmi, pods, signal);
    const node = this.#caches.nodeOf(vmi);
    const launcher = currentPod(vmi, pods);
    const starting = launcher === undefined && !isFinal(vmi) && !isOnNode(vmi);
    const storage = await this.#volumes.view(vmi, starting, signal);
    const { attachments, trouble: hotplugTrouble } = await this.#volumes.attach(vmi, launcher, storage.claims, signal);
    const readiness = starting ? storageReadiness(vmi, storage) : undefined;
    const growth = growthOf(vmi, launcher, this.#caches.config);
    const resizeTrouble = await this.#resize(launcher, growth, signal);
    const world = {
      vmi,
      growth,
      resizeTrouble,
      overhead: grantedOverhead(vmi, launcher, this.#caches.config),
      now,
      launcherImage: this.#options.launcherImage,
      podIsGone: missing.confirmed,
      endIsRecorded: isEndRecorded(this.#caches.vmOf(vmi), vmi),
      ...(readiness ? { storage: readiness } : {}),
      volumes: { claims: storage.claims, attachments },
      ...(hotplugTrouble ? { hotplugTrouble } : {}),
      nodeIsUnresponsive:
        isOnNode(vmi) && (!node || isUnresponsive(node, clock.now(), this.#options.heartbeatTimeoutMs)),
      nodeLoss: nodeLoss(vmi, node, launcher),
    };

    let plan = planVmi({ ...world, pods });
    await this.#deletePods(vmi, [...plan.deletePods, ...refusedPodsToDrop(vmi, pods)], signal);
    let requeueAfterMs = missing.recheckMs ?? (hotplugTrouble || resizeTrouble ? REFUSED_MS : undefined);
    // Nobody tells about DataVolumes; claims are watched.
    if (readiness?.ready === false && storage.dataVolumes.size > 0) requeueAfterMs = DATA_VOLUMES_MS;
    if (plan.createPod) {
      const wait = waitBeforeReplacing(pods, clock.now());
      if (wait > 0) requeueAfterMs = wait;
      else {
        const outcome = await this.#createPod(vmi, pods, readiness?.modes ?? new Map(), signal);
        if ('pod' in outcome) pods = [...pods, outcome.pod];
        plan = planVmi({ ...world, pods, ...('trouble' in outcome ? { failedCreate: outcome.trouble } : {}) });
        if ('trouble' in outcome) requeueAfterMs = REFUSED_MS;
      }
    }
    await Promise.all([
      this.#openGate(plan.after, currentPod(vmi, pods), now, signal),
      this.#attachNetworks(plan.after, currentPod(vmi, pods), signal),
      this.#write(stored, plan, signal),
    ]);
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  }

  /** An instance that came past the webhook gets the same defaults here. */
  #complete(stored: VirtualMachineInstance, now: string): VirtualMachineInstance {
    if (stored.status?.phase) return stored;
    return defaultVirtualMachineInstance(stored, this.#caches.config, { uuid: this.#options.uuid, now: () => now });
  }

  /** A pod that should be there and is not: asks the API server itself before anything is concluded from it. */
  async #missing(
    vmi: VirtualMachineInstance,
    pods: readonly Pod[],
    signal: AbortSignal,
  ): Promise<{ confirmed: boolean; recheckMs?: number }> {
    const uid = vmi.metadata.uid ?? '';
    const key = keyOf(vmi);
    const expected = !isFinal(vmi) && !isUnprocessed(vmi) && !pods.some(wasRefused);
    if (!expected || currentPod(vmi, pods)) {
      this.#missingSince.delete(key);
      return { confirmed: false };
    }
    const now = this.#options.clock.monotonic();
    const known = this.#missingSince.get(key);
    const since = known?.uid === uid ? known.since : now;
    this.#missingSince.set(key, { uid, since });
    const left = isOnNode(vmi) ? since + GONE_GRACE_MS - now : 0;
    if (left > 0) return { confirmed: false, recheckMs: left };
    const { namespace = '' } = vmi.metadata;
    const found = await this.#client.list(Pods, { namespace, labelSelector: `${LABELS.createdBy}=${uid}` }, signal);
    const own = found.items.filter((pod) => isPodOf(pod, vmi));
    for (const pod of own) this.#caches.pods.observe(pod);
    this.#missingSince.delete(key);
    return { confirmed: own.length === 0, ...(own.length > 0 ? { recheckMs: 0 } : {}) };
  }

  async #createPod(
    vmi: VirtualMachineInstance,
    pods: readonly Pod[],
    claims: ClaimModes,
    signal: AbortSignal,
  ): Promise<{ pod: Pod } | { trouble: Trouble }> {
    const { launcherImage } = this.#options;
    const outcome = await createPod(this.#client, vmi, pods, claims, this.#caches.config, launcherImage, signal);
    if (outcome.kind === 'refused') {
      this.#events.podNotCreated(vmi, outcome.trouble.message);
      return { trouble: outcome.trouble };
    }
    this.#caches.pods.observe(outcome.pod);
    this.#events.podCreated(vmi, outcome.pod.metadata.name);
    return { pod: outcome.pod };
  }

  async #deletePods(vmi: VirtualMachineInstance, pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    const gracePeriodSeconds_ = gracePeriodSeconds(vmi.spec) + POD_GRACE_MARGIN_SECONDS;
    for (const { metadata } of pods) {
      const { namespace = '', name, uid } = metadata;
      try {
        await this.#client.delete(
          Pods,
          { namespace, name },
          { gracePeriodSeconds: gracePeriodSeconds_, ...(uid ? { preconditions: { uid } } : {}) },
          signal,
        );
        this.#events.podDeleted(vmi, name);
      } catch (error) {
        if (isNotFound(error)) continue;
        if (error instanceof KubeError) this.#events.podNotDeleted(vmi, name, error.message);
        throw error;
      }
    }
  }

  async #openGate(vmi: VirtualMachineInstance, pod: Pod | undefined, now: string, signal: AbortSignal): Promise<void> {
    const condition = gateChange(vmi, pod, now);
    if (!condition || !pod) return;
    const { namespace = '', name } = pod.metadata;
    try {
      const body = { status: { conditions: [condition] } };
      const patched = await this.#client.patch(
        Pods,
        { namespace, name },
        { type: 'strategic', body },
        { subresource: 'status' },
        signal,
      );
      this.#caches.pods.observe(patched);
    } catch (error) {
      if (isNotFound(error)) return;
      if (error instanceof KubeError && !isConflict(error)) this.#events.podNotPatched(vmi, name, error.message);
      throw error;
    }
  }

  /** Asks for a larger pod; answers what the API server has against it. */
  async #resize(
    pod: Pod | undefined,
    growth: PodGrowth | undefined,
    signal: AbortSignal,
  ): Promise<Trouble | undefined> {
    const body = resizePatch(growth);
    if (!body || !pod) return undefined;
    const { namespace = '', name } = pod.metadata;
    try {
      const subresource = { subresource: 'resize' };
      this.#caches.pods.observe(
        await this.#client.patch(Pods, { namespace, name }, { type: 'strategic', body }, subresource, signal),
      );
      return undefined;
    } catch (error) {
      // A pod that is gone is told by its watch.
      if (isNotFound(error) && this.#caches.pods.store.get(formatKey({ namespace, name })) === undefined)
        return undefined;
      // Everything else that is to be said of the instance does not wait for an API server that fails here.
      if (!(error instanceof KubeError) || isConflict(error)) throw error;
      const message = `the launcher pod cannot grow: ${refusalWords(error.message)}`;
      return { reason: REASONS.podResizeRefused, message };
    }
  }

  /** Asks Multus for the networks of a spec that has changed since the pod was made. */
  async #attachNetworks(vmi: VirtualMachineInstance, pod: Pod | undefined, signal: AbortSignal): Promise<void> {
    const wanted = isFinal(vmi) ? undefined : networksAnnotationChange(vmi, pod);
    if (wanted === undefined || !pod) return;
    const { namespace = '', name } = pod.metadata;
    try {
      const body = { metadata: { annotations: { [ANNOTATIONS.multusNetworks]: wanted } } };
      this.#caches.pods.observe(
        await this.#client.patch(Pods, { namespace, name }, { type: 'merge', body }, {}, signal),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #write(stored: VirtualMachineInstance, plan: VmiPlan, signal: AbortSignal): Promise<void> {
    try {
      const written = await patchObject(this.#client, VirtualMachineInstances, stored, plan.after, {}, signal);
      if (!written) return;
      this.#caches.vmis.observe(written);
      this.#tell(stored, plan);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #tell(before: VirtualMachineInstance, { after, failure }: VmiPlan): void {
    if (failure) this.#events.trouble(after, failure);
    this.#tellNodeLoss(before, after);
    for (const news of volumeNews(before, after)) this.#events.volume(after, news);
    const was = findCondition(before, VMI_CONDITIONS.synchronized);
    const is = findCondition(after, VMI_CONDITIONS.synchronized);
    if (is?.reason && is.reason !== REASONS.failedCreate && is.reason !== was?.reason) {
      this.#events.trouble(after, { reason: is.reason, message: is.message ?? '' });
    }
  }

  /** Told of the machine too, which is what people look at. */
  #tellNodeLoss(before: VirtualMachineInstance, after: VirtualMachineInstance): void {
    const reason = REASONS.nodeUnresponsive;
    const is = findCondition(after, VMI_CONDITIONS.ready);
    if (is?.reason !== reason || findCondition(before, VMI_CONDITIONS.ready)?.reason === reason) return;
    this.#events.trouble(after, { reason, message: is.message ?? '' });
    const vm = this.#caches.vmOf(after);
    if (vm) this.#options.events.warning(subjectOf(VirtualMachines, vm), reason, is.message ?? '');
  }
}
