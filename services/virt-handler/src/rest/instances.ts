import { isFinal, type Pod, type VirtualMachineInstance } from '@yagura/api';
import type { Informer } from '@yagura/kube';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { Launchers } from '../launcher/launchers.ts';
import { newestPod, vmiUidOf } from '../pod/launcher-pod.ts';
import { HttpError } from './errors.ts';

/** An instance of this node with its pod and the link to its launcher, as far as they are there. */
export interface Instance {
  vmi: VirtualMachineInstance;
  pod: Pod | undefined;
  link: LauncherLink | undefined;
}

export interface InstancesParts {
  nodeName: string;
  vmis: Pick<Informer<VirtualMachineInstance>, 'store'>;
  pods: Pick<Informer<Pod>, 'store'>;
  launchers: Launchers;
}

/** Looks instances up for whoever asks about one. */
export class Instances {
  readonly #parts: InstancesParts;

  constructor(parts: InstancesParts) {
    this.#parts = parts;
  }

  find(namespace: string, name: string): Instance {
    const { vmis, nodeName } = this.#parts;
    const vmi = vmis.store.get(`${namespace}/${name}`);
    if (vmi === undefined) {
      throw new HttpError(404, `virtualmachineinstances.kubevirt.io "${name}" not found on node ${nodeName}`);
    }
    return this.of(vmi);
  }

  all(): Instance[] {
    return this.#parts.vmis.store.list().map((vmi) => this.of(vmi));
  }

  /** The launcher of an instance that runs. */
  launcher(namespace: string, name: string): { vmi: VirtualMachineInstance; link: LauncherLink } {
    const { vmi, link } = this.find(namespace, name);
    if (isFinal(vmi)) throw new HttpError(409, `VirtualMachineInstance ${namespace}/${name} has ended`);
    if (link === undefined)
      throw new HttpError(503, `VirtualMachineInstance ${namespace}/${name} has no launcher on this node`);
    return { vmi, link };
  }

  /** An instance of this node with what belongs to it. */
  of(vmi: VirtualMachineInstance): Instance {
    const { namespace, name, uid } = vmi.metadata;
    const pods = this.#parts.pods.store.byIndex('vmi', `${namespace}/${name}`);
    const pod = newestPod(pods.filter((candidate) => vmiUidOf(candidate) === uid));
    return { vmi, pod, link: pod && this.#parts.launchers.get(pod.metadata.uid ?? '') };
  }
}
