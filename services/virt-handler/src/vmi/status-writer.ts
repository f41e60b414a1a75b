import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '@yagura/api';
import { type Informer, isConflict, isFailedPatchTest, type KubeClient, keyOf } from '@yagura/kube';
import { statusPatch } from './patch.ts';
import { Vmis } from './resources.ts';

const ATTEMPTS = 4;

/** Writes the status of instances: as seldom as possible, and never over what somebody else has written meanwhile. */
export class StatusWriter {
  readonly #client: Pick<KubeClient, 'get' | 'patch'>;
  readonly #vmis: Pick<Informer<VirtualMachineInstance>, 'store' | 'observe'>;

  constructor(
    client: Pick<KubeClient, 'get' | 'patch'>,
    vmis: Pick<Informer<VirtualMachineInstance>, 'store' | 'observe'>,
  ) {
    this.#client = client;
    this.#vmis = vmis;
  }

  /** Brings the status to what `wanted` makes of it, on what is stored now; answers the instance as it is then. */
  async write(
    read: VirtualMachineInstance,
    wanted: (vmi: VirtualMachineInstance) => VirtualMachineInstanceStatus,
    signal: AbortSignal,
  ): Promise<VirtualMachineInstance> {
    const { namespace = '', name } = read.metadata;
    let vmi = read;
    for (let attempt = 1; ; attempt++) {
      const body = statusPatch(vmi, wanted(vmi));
      if (body === undefined) return vmi;
      try {
        const written = await this.#client.patch(Vmis, { namespace, name }, { type: 'json', body }, {}, signal);
        // An instance that is not yet labelled with this node is not ours to store.
        if (this.#vmis.store.get(keyOf(read)) !== undefined) this.#vmis.observe(written);
        return written;
      } catch (error) {
        if (attempt === ATTEMPTS || !(isFailedPatchTest(error) || isConflict(error))) throw error;
        vmi = await this.#client.get(Vmis, { namespace, name }, {}, signal);
        if (vmi.metadata.uid !== read.metadata.uid) throw error;
      }
    }
  }
}
