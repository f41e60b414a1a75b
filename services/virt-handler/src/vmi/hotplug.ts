import {
  type ClusterConfig,
  COMPUTE_CONTAINER,
  claimNameOf,
  hotplugPath,
  isHotpluggable,
  type Pod,
  type VirtualMachineInstance,
  type Volume,
} from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import type { Informer } from '@yagura/kube';
import { errorMessage } from '@yagura/runtime';
import type { HotplugMounts } from '../disks/hotplug-mounts.ts';
import { runningContainer } from '../pod/launcher-pod.ts';
import type { ContainerProcesses } from '../pod/processes.ts';
import { type HotplugWork, has, hotplugWork, type VolumePhase, volumePhases } from './hotplug-status.ts';
import { CALL_PATIENCE_MS, isActive, type Target } from './target.ts';
import { vmiMessage, volumeOptions } from './volume-options.ts';

const CALL_TIMEOUT_MS = 60_000;
/** A guest that holds on to a disk, or storage that is not there yet, is asked again so often. */
const RETRY_MS = 3_000;
/** Said by a guest that ends, or by a launcher that comes back: nothing is wrong with the volumes. */
const PASSING: readonly Status[] = [Status.FAILED_PRECONDITION, Status.UNAVAILABLE];

export interface HotplugParts {
  /** Attachment pods of this node, with an index `launcher` by UID of the launcher pod. */
  attachments: Pick<Informer<Pod>, 'store'>;
  processes: Pick<ContainerProcesses, 'find'>;
  mounts: HotplugMounts;
  config: () => ClusterConfig;
}

/** Claims in the launcher's container by volume, and what kept others out of it. */
export interface Mounted {
  paths: Map<string, string>;
  /** Volumes whose attachment pod does not run yet. */
  waiting: string[];
  problems: Map<string, string>;
}

/** Volumes that come and go while the guest runs: from their attachment pods into the launcher's, and into the guest. */
export class Hotplug {
  readonly #parts: HotplugParts;

  constructor(parts: HotplugParts) {
    this.#parts = parts;
  }

  /** Mounts every claim of the spec that has come to the node. */
  async mount(vmi: VirtualMachineInstance, pod: Pod): Promise<Mounted> {
    const mounted: Mounted = { paths: new Map(), waiting: [], problems: new Map() };
    for (const volume of (vmi.spec.volumes ?? []).filter(isHotpluggable)) {
      try {
        if (await this.#ensure(volume, pod)) mounted.paths.set(volume.name, hotplugPath(volume.name));
        else mounted.waiting.push(volume.name);
      } catch (error) {
        mounted.problems.set(volume.name, errorMessage(error));
      }
    }
    return mounted;
  }

  /** Brings the guest the volumes that its spec has; answers their phases, and when to look again. Undefined: all is done. */
  async sync(target: Target): Promise<{ phases: Map<string, VolumePhase>; retryMs: number | undefined } | undefined> {
    const { vmi, pod, link, memory } = target;
    const domain = link?.domain;
    if (domain === undefined || !isActive(domain)) return undefined;
    const work = hotplugWork(vmi, domain);
    if (work === undefined) {
      memory.volumeProblems = undefined;
      memory.calls.forget(kindOf(target));
      return undefined;
    }
    const mounted = await this.mount(vmi, pod);
    const ended = needsLauncher(work, mounted, target) ? await this.#askLauncher(target, work, mounted) : true;
    const problems = new Map([...(memory.volumeProblems ?? []), ...mounted.problems]);
    // Of a volume whose attachment pod is away virt-controller tells: an older word of the launcher would contradict it.
    for (const volume of mounted.waiting) problems.delete(volume);
    const released = await this.#release(target, work, problems);
    const phases = volumePhases({ work, domain: link?.domain, mounted: mounted.paths, released, problems });
    return { phases, retryMs: ended ? retryMs(problems, mounted) : 1_000 };
  }

  async #ensure({ name: volume, ...source }: Volume, pod: Pod): Promise<boolean> {
    const claimName = claimNameOf({ name: volume, ...source });
    const podUid = pod.metadata.uid ?? '';
    const attachment = this.#parts.attachments.store
      .byIndex('launcher', podUid)
      .find(({ spec }) =>
        spec.volumes?.some((one) => one.name === volume && one.persistentVolumeClaim?.claimName === claimName),
      );
    const container = attachment?.spec.containers[0];
    if (attachment === undefined || container === undefined) return false;
    const attachmentPid = await this.#pidOf(attachment, container.name);
    const computePid = await this.#pidOf(pod, COMPUTE_CONTAINER);
    if (attachmentPid === undefined || computePid === undefined) return false;
    const block = (container.volumeDevices ?? []).length > 0;
    const readOnly = source.persistentVolumeClaim?.readOnly === true;
    await this.#parts.mounts.ensure({ volume, block, readOnly, attachmentPid, podUid, computePid });
    return true;
  }

  async #pidOf(pod: Pod, container: string): Promise<number | undefined> {
    const id = runningContainer(pod, container);
    return id === undefined ? undefined : this.#parts.processes.find(id);
  }

  /** False when the launcher has not answered in time, or not now. What is wrong with the call is wrong with its volumes. */
  async #askLauncher(target: Target, work: HotplugWork, mounted: Mounted): Promise<boolean> {
    try {
      return await this.#callLauncher(target, work, mounted);
    } catch (error) {
      const { code, message } = RpcError.from(error);
      if (PASSING.includes(code)) return false;
      const older = 'the launcher of this guest is from before volumes could be plugged in: restart the guest';
      const problem = code === Status.UNIMPLEMENTED ? older : message;
      target.memory.volumeProblems = new Map([...work.plugIn, ...work.takeOut].map((volume) => [volume, problem]));
      return true;
    }
  }

  async #callLauncher(target: Target, work: HotplugWork, mounted: Mounted): Promise<boolean> {
    const { vmi, link, memory } = target;
    const volumes = volumeOptions(vmi, this.#parts.config(), mounted.paths);
    const about = JSON.stringify([work, [...mounted.paths.keys()]]);
    const call = async () => {
      const answer = await link?.calls.syncVolumes({ vmi: vmiMessage(vmi), volumes }, { timeoutMs: CALL_TIMEOUT_MS });
      memory.volumeProblems = new Map((answer?.problems ?? []).map(({ volume, message }) => [volume, message]));
      if (answer?.domain !== undefined) link?.take(answer.domain);
    };
    return memory.calls.ended(kindOf(target), CALL_PATIENCE_MS, call, about);
  }

  async #release({ pod, link }: Target, { takeOut }: HotplugWork, problems: Map<string, string>): Promise<string[]> {
    const released: string[] = [];
    const computePid = (await this.#pidOf(pod, COMPUTE_CONTAINER)) ?? 0;
    for (const volume of takeOut) {
      // Also a drive that is empty by now may still hold the file open until it is gone.
      if (has(link?.domain, volume)) continue;
      try {
        await this.#parts.mounts.release(pod.metadata.uid ?? '', volume, computePid);
        released.push(volume);
      } catch (error) {
        problems.set(volume, errorMessage(error));
      }
    }
    return released;
  }
}

function kindOf({ pod }: Target): string {
  return `volumes ${pod.metadata.uid}`;
}

/** The launcher is only asked when there is something it can do. */
function needsLauncher(work: HotplugWork, mounted: Mounted, { link }: Target): boolean {
  const missing = work.plugIn.some((name) => mounted.paths.has(name) && !has(link?.domain, name));
  return missing || work.takeOut.some((name) => has(link?.domain, name));
}

/** A process that has just started may not be found yet, and nobody tells when it is. */
function retryMs(problems: ReadonlyMap<string, string>, { waiting }: Mounted): number | undefined {
  return problems.size > 0 || waiting.length > 0 ? RETRY_MS : undefined;
}
