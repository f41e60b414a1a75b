import { createHash } from 'node:crypto';
import { ANNOTATIONS } from '../annotations.ts';
import type { ClusterConfig } from '../config.ts';
import type { ObjectMeta } from '../kubernetes.ts';
import { LABELS, LAUNCHER_LABEL_VALUE } from '../labels.ts';
import { API_VERSION, COMPUTE_CONTAINER } from '../names.ts';
import { multusAnnotations } from '../networks.ts';
import type { VirtualMachineInstance } from '../types.ts';
import { memoryOverhead } from './overhead.ts';

const LABEL_MAX = 63;
const POD_NAME_MAX = 253;

/** A name for a launcher pod. @param suffix random and lower case, so that a name is never used twice */
export function launcherPodName(vmiName: string, suffix: string): string {
  const base = `virt-launcher-${vmiName}`.slice(0, POD_NAME_MAX - suffix.length - 1).replace(/[.-]+$/, '');
  return `${base}-${suffix}`;
}

/** The name if it fits into a label, else its beginning and a hash. */
export function labelValue(name: string): string {
  if (name.length <= LABEL_MAX) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${name.slice(0, LABEL_MAX - hash.length - 1).replace(/[._-]+$/, '')}-${hash}`;
}

/** Host name of guest and pod: what the spec says, else the first part of the name. */
export function hostnameOf(vmi: VirtualMachineInstance): string {
  const name = vmi.spec.hostname || (vmi.metadata.name.split('.')[0] ?? vmi.metadata.name);
  return name.slice(0, LABEL_MAX).replace(/-+$/, '');
}

export function podMetadata(vmi: VirtualMachineInstance, config: ClusterConfig, podName: string): ObjectMeta {
  const { name, namespace, uid } = vmi.metadata;
  if (!namespace || !uid)
    throw new TypeError(`VirtualMachineInstance ${name} has no namespace or uid: it is not stored`);
  return {
    name: podName,
    namespace,
    labels: {
      ...vmi.metadata.labels,
      [LABELS.app]: LAUNCHER_LABEL_VALUE,
      [LABELS.createdBy]: uid,
      [LABELS.vmName]: hostnameOf(vmi),
      [LABELS.vmiId]: labelValue(name),
    },
    annotations: {
      ...passedOn(vmi.metadata.annotations ?? {}),
      [ANNOTATIONS.domain]: name,
      [ANNOTATIONS.defaultContainer]: COMPUTE_CONTAINER,
      [ANNOTATIONS.migrationTransportUnix]: 'true',
      [ANNOTATIONS.memoryOverheadBytes]: memoryOverhead(vmi, config).toString(),
      ...multusAnnotations(vmi),
    },
    ownerReferences: [
      {
        apiVersion: API_VERSION,
        kind: 'VirtualMachineInstance',
        name,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

/** The instance's annotations but those that speak about the object itself. */
function passedOn(annotations: Record<string, string>): Record<string, string> {
  const own = [ANNOTATIONS.latestObservedApiVersion, ANNOTATIONS.storageObservedApiVersion] as string[];
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/') && !own.includes(key)),
  );
}
