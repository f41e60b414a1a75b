import {
  ANNOTATIONS,
  type Condition,
  FINALIZERS,
  isConditionTrue,
  isFinal,
  isOnNode,
  isPodDown,
  isUnprocessed,
  LABELS,
  type Pod,
  type PodGrowth,
  setCondition,
  type VirtualMachineInstance,
  type VirtualMachineInstanceStatus,
  VMI_CONDITIONS,
  withPhase,
} from '@yagura/api';
import { interfaceStatuses } from '../networks/interface-statuses.ts';
import { withNetworkCondition } from '../networks/migration-required.ts';
import type { NodeLoss } from '../nodes/node-loss.ts';
import { isProvisioning, type StorageReadiness } from '../volumes/storage.ts';
import { type VolumesView, volumeStatuses } from '../volumes/volume-status.ts';
import { readyCondition, withConditions, withProvisioning } from './conditions.ts';
import { withGrowth, withOverhead } from './growth.ts';
import type { Trouble } from './image-pull.ts';
import { withLauncherImage, withoutLauncherImage } from './launcher-image.ts';
import { currentPod, failureOf, isMigratableByUnixSockets, isPodUp, wasRefused } from './pods.ts';

export interface VmiWorld {
  vmi: VirtualMachineInstance;
  /** All pods that the instance owns. */
  pods: readonly Pod[];
  /** RFC 3339 */
  now: string;
  /** The API server itself says that there is no pod, and has said so for the grace that virt-handler gets. */
  podIsGone: boolean;
  /** virt-handler of the instance's node has not been heard of for long. */
  nodeIsUnresponsive: boolean;
  /** Why nothing is known about the guest, where its node is lost. */
  nodeLoss?: NodeLoss | undefined;
  /** The owning VirtualMachine knows how this instance ended, or there is none. */
  endIsRecorded: boolean;
  /** Whether its storage is there; undefined where nobody has looked. */
  storage?: StorageReadiness;
  volumes: VolumesView;
  /** Image of the installed launcher. */
  launcherImage: string;
  /** Why a plugged volume cannot come to the node. */
  hotplugTrouble?: Trouble;
  /** How far the pod has come for a guest that grows, and what the API server has against it. */
  growth?: PodGrowth | undefined;
  resizeTrouble?: Trouble | undefined;
  /** Bytes beyond the guest's memory that the pod has by now; undefined where that is open. */
  overhead?: bigint | undefined;
  /** Why the last attempt to create the pod failed. */
  failedCreate?: Trouble;
}

export interface VmiPlan {
  /** What the object should be; the same object when nothing changes. */
  after: VirtualMachineInstance;
  createPod: boolean;
  deletePods: Pod[];
  /** Why it became Failed, for the event. */
  failure?: Trouble;
}

/** What is to be done for one instance, from nothing but what is known now. */
export function planVmi(world: VmiWorld): VmiPlan {
  const { vmi, pods } = world;
  const deleting = vmi.metadata.deletionTimestamp !== undefined;
  const pod = currentPod(vmi, pods);
  const { status, failure } = nextPhase(world, pod);
  const moved = withStatus(vmi, status);
  return {
    after: finish(describe(moved, vmi, world, pod), pods, world.endIsRecorded),
    createPod:
      !deleting &&
      !isFinal(moved) &&
      !isOnNode(moved) &&
      pod === undefined &&
      mayCreate(vmi, pods) &&
      world.storage?.ready !== false,
    deletePods: deleting ? pods.filter(({ metadata }) => !metadata.deletionTimestamp) : [],
    ...(failure ? { failure } : {}),
  };
}

/** A missing pod is created for a new instance, and anew when the kubelet refused the one before. */
function mayCreate(vmi: VirtualMachineInstance, pods: readonly Pod[]): boolean {
  return isUnprocessed(vmi) || pods.some(wasRefused);
}

interface Transition {
  status: VirtualMachineInstanceStatus;
  failure?: Trouble;
}

function nextPhase(world: VmiWorld, pod: Pod | undefined): Transition {
  const { vmi, pods, now } = world;
  const status = vmi.status ?? {};
  const deleting = vmi.metadata.deletionTimestamp !== undefined;
  const failed = (trouble: Trouble): Transition => ({
    status: { ...withPhase(status, 'Failed', now), reason: trouble.reason },
    failure: trouble,
  });
  // Asked for, so that there is nothing to warn of.
  const deleted: Transition = { status: { ...withPhase(status, 'Failed', now), reason: 'Deleted' } };
  const gone = { reason: 'LauncherPodGone', message: 'the launcher pod does not exist any more' };

  if (isFinal(vmi)) return { status };
  if (isOnNode(vmi)) {
    if (pod && !isPodDown(pod.status?.phase)) return { status };
    // What a cache does not have is gone when the API server says so, and not before.
    if (!pod && !world.podIsGone) return { status };
    if (world.nodeIsUnresponsive) {
      return failed({ reason: 'NodeUnresponsive', message: `virt-handler on node ${status.nodeName} is not heard of` });
    }
    return pod ? { status } : failed(gone);
  }
  if (pod) {
    if (isPodDown(pod.status?.phase)) return deleting ? deleted : failed(failureOf(pod));
    if (pod.metadata.deletionTimestamp) {
      return deleting
        ? { status }
        : failed({ reason: 'LauncherPodDeleted', message: 'the launcher pod is being deleted' });
    }
    if (lacksGuarantee(vmi, pod)) {
      const message = `the launcher pod is of QoS class ${pod.status?.qosClass}, not Guaranteed, so its CPUs cannot be dedicated`;
      return failed({ reason: 'FailedGuaranteeResources', message });
    }
    return { status: isPodUp(pod) ? scheduled(status, pod, now) : scheduling(status, pod, now) };
  }
  if (deleting && pods.length === 0) return deleted;
  if (isUnprocessed(vmi)) return { status: withPhase(status, 'Pending', now) };
  return !pods.some(wasRefused) && world.podIsGone ? failed(gone) : { status };
}

/** CPUs of its own are what the user was promised. */
function lacksGuarantee(vmi: VirtualMachineInstance, pod: Pod): boolean {
  const qosClass = pod.status?.qosClass;
  return vmi.spec.domain.cpu?.dedicatedCpuPlacement === true && qosClass !== undefined && qosClass !== 'Guaranteed';
}

function scheduling(status: VirtualMachineInstanceStatus, pod: Pod, now: string): VirtualMachineInstanceStatus {
  const overhead = pod.metadata.annotations?.[ANNOTATIONS.memoryOverheadBytes];
  return {
    ...withPhase(status, 'Scheduling', now),
    ...(pod.status?.qosClass ? { qosClass: pod.status.qosClass } : {}),
    ...(overhead ? { memory: { ...status.memory, memoryOverhead: overhead } } : {}),
  };
}

function scheduled(status: VirtualMachineInstanceStatus, pod: Pod, now: string): VirtualMachineInstanceStatus {
  const before = status.phase === 'Scheduling' ? status : scheduling(status, pod, now);
  return {
    ...withPhase(before, 'Scheduled', now),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(pod.status?.qosClass ? { qosClass: pod.status.qosClass } : {}),
    ...(isMigratableByUnixSockets(pod) ? { migrationTransport: 'Unix' } : {}),
  };
}

function withStatus(vmi: VirtualMachineInstance, status: VirtualMachineInstanceStatus): VirtualMachineInstance {
  return status === vmi.status ? vmi : { ...vmi, status };
}

/** Labels, pods, volumes and conditions that go with the phase. */
function describe(
  vmi: VirtualMachineInstance,
  before: VirtualMachineInstance,
  world: VmiWorld,
  pod: Pod | undefined,
): VirtualMachineInstance {
  const status = vmi.status ?? {};
  if (isFinal(before)) return ended(vmi, pod, world.now);
  // While it goes away only the end is worth a write, and that there may be none.
  if (vmi.metadata.deletionTimestamp && status.phase === before.status?.phase && !world.nodeLoss) return vmi;
  const onNode = isOnNode(vmi);
  const described = {
    ...vmi,
    ...(onNode && status.nodeName && vmi.metadata.labels?.[LABELS.nodeName] === undefined
      ? { metadata: { ...vmi.metadata, labels: { ...vmi.metadata.labels, [LABELS.nodeName]: status.nodeName } } }
      : {}),
    status: {
      ...status,
      ...withOverhead(status, world.overhead),
      ...activePods(status, world.pods, status.phase !== before.status?.phase),
      ...(onNode ? volumes(vmi, world.volumes) : {}),
      ...(onNode ? interfaces(vmi, pod) : {}),
      conditions: withNetworkCondition(conditionsOf(vmi, world, pod), vmi, pod, world.now),
    },
  };
  return withLauncherImage(described, pod, world.launcherImage);
}

/** A guest that ended is not ready, whoever wrote its end. While the object goes away too, that is not worth a write. */
function ended(vmi: VirtualMachineInstance, pod: Pod | undefined, now: string): VirtualMachineInstance {
  if (vmi.metadata.deletionTimestamp) return vmi;
  const bare = withoutLauncherImage(vmi);
  if (!isConditionTrue(bare, VMI_CONDITIONS.ready)) return bare;
  return {
    ...bare,
    status: { ...bare.status, conditions: setCondition(bare.status?.conditions, readyCondition(bare, pod), now) },
  };
}

/** Which pods there are is always told; where they are only together with a change of phase. */
function activePods(
  status: VirtualMachineInstanceStatus,
  pods: readonly Pod[],
  phaseChanged: boolean,
): Pick<VirtualMachineInstanceStatus, 'activePods'> {
  const now = Object.fromEntries(
    pods.filter((pod) => !wasRefused(pod)).map(({ metadata, spec }) => [metadata.uid ?? '', spec.nodeName ?? '']),
  );
  const before = status.activePods ?? {};
  const same = Object.keys(now).sort().join() === Object.keys(before).sort().join();
  if (Object.keys(now).length === 0) return {};
  return same && !phaseChanged ? {} : { activePods: now };
}

/** What the pod's networks say; virt-handler tells the rest. */
function interfaces(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
): Pick<VirtualMachineInstanceStatus, 'interfaces'> {
  const known = interfaceStatuses(vmi, pod);
  return known.length > 0 || vmi.status?.interfaces ? { interfaces: known } : {};
}

function volumes(vmi: VirtualMachineInstance, view: VolumesView): Pick<VirtualMachineInstanceStatus, 'volumeStatus'> {
  const known = vmi.status?.volumeStatus;
  const after = volumeStatuses(vmi, view);
  return after === known || (known === undefined && after.length === 0) ? {} : { volumeStatus: after };
}

function conditionsOf(vmi: VirtualMachineInstance, world: VmiWorld, pod: Pod | undefined): Condition[] {
  const { storage, failedCreate, hotplugTrouble, now } = world;
  // Once there is a pod, its own words are those that count.
  const trouble = failedCreate ?? hotplugTrouble ?? (pod ? undefined : storage?.trouble);
  const conditions = withProvisioning(
    withConditions(vmi, pod, { trouble, nodeLoss: world.nodeLoss }, now),
    isProvisioning(vmi, world.volumes.claims),
    now,
  );
  const grown = withGrowth(conditions, vmi, world.growth, world.resizeTrouble, now);
  return storage?.dataVolumesReady ? setCondition(grown, storage.dataVolumesReady, now) : grown;
}

/** Lets the object go once it is final, no pod of it is left, and its VirtualMachine knows. */
function finish(vmi: VirtualMachineInstance, pods: readonly Pod[], endIsRecorded: boolean): VirtualMachineInstance {
  if (!vmi.metadata.deletionTimestamp || !isFinal(vmi) || pods.length > 0) return vmi;
  const finalizers = vmi.metadata.finalizers ?? [];
  const ours: string[] = [FINALIZERS.vmi, FINALIZERS.vmiLegacy, ...(endIsRecorded ? [FINALIZERS.vmController] : [])];
  const left = finalizers.filter((finalizer) => !ours.includes(finalizer));
  return left.length === finalizers.length ? vmi : { ...vmi, metadata: { ...vmi.metadata, finalizers: left } };
}
