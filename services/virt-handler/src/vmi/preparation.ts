import { COMPUTE_CONTAINER, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { ensureHostDisks } from '../disks/host-disks.ts';
import type { ImageMounts } from '../disks/image-mounts.ts';
import { diskSources } from '../disks/sources.ts';
import type { Attachment } from '../network/attachment.ts';
import type { Link } from '../network/links.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { ownDeviceNodes } from '../pod/device-nodes.ts';
import { runningContainer } from '../pod/launcher-pod.ts';
import type { ContainerProcesses } from '../pod/processes.ts';

export interface PreparationParts {
  processes: ContainerProcesses;
  network: PodNetwork;
  images: ImageMounts;
}

/** Gives a launcher's pod what the launcher may not take itself: devices, network and disk images. */
export class Preparation {
  readonly #parts: PreparationParts;

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  /** Everything is looked at and only what is missing is done, so this may be called at any time. */
  async prepare(vmi: VirtualMachineInstance, pod: Pod, signal: AbortSignal): Promise<Attachment[]> {
    const { network, images } = this.#parts;
    const compute = await this.#pidOf(pod, COMPUTE_CONTAINER);
    const podUid = pod.metadata.uid ?? '';
    const [attachments] = await Promise.all([
      network.ensure(vmi, compute, signal),
      images.mount(podUid, diskSources(vmi.spec), async (container) => this.#pidOf(pod, container)),
      ownDeviceNodes(compute, blockDevices(pod)),
      ensureHostDisks(vmi.spec),
    ]);
    return attachments;
  }

  /** The network alone, of a domain that runs; an interface whose network the pod does not have is left out. */
  async network(vmi: VirtualMachineInstance, pod: Pod, signal: AbortSignal): Promise<Attachment[]> {
    return this.#parts.network.ensure(vmi, await this.#pidOf(pod, COMPUTE_CONTAINER), signal, 'skip');
  }

  /** Takes away what was made for interfaces that are to be absent, but for those that the domain still has. */
  async removeNetwork(
    vmi: VirtualMachineInstance,
    pod: Pod,
    has: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#parts.network.remove(vmi, await this.#pidOf(pod, COMPUTE_CONTAINER), has, signal);
  }

  /** The devices in the pod's network namespace as they are. */
  async links(pod: Pod, timeoutMs: number): Promise<Link[]> {
    return this.#parts.network.links(await this.#pidOf(pod, COMPUTE_CONTAINER), timeoutMs);
  }

  async #pidOf(pod: Pod, container: string): Promise<number> {
    const id = runningContainer(pod, container);
    if (id === undefined) throw new Error(`container ${container} of pod ${pod.metadata.name} does not run`);
    const pid = await this.#parts.processes.find(id);
    if (pid === undefined)
      throw new Error(`no process of container ${container} of pod ${pod.metadata.name} is found on the node`);
    return pid;
  }
}

/** Paths of the claims that the launcher's container has as block devices. */
function blockDevices({ spec }: Pod): string[] {
  const compute = spec.containers.find(({ name }) => name === COMPUTE_CONTAINER);
  return (compute?.volumeDevices ?? []).map(({ devicePath }) => devicePath);
}
