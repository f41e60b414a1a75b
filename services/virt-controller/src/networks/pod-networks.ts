import { ANNOTATIONS, isPodDown, multusAnnotations, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { interfacesInUse } from './interface-statuses.ts';

/** What the pod's annotation of wanted networks should say, when it says something else; undefined when all is well. */
export function networksAnnotationChange(vmi: VirtualMachineInstance, pod: Pod | undefined): string | undefined {
  if (!pod || isPodDown(pod.status?.phase) || pod.metadata.deletionTimestamp || vmi.metadata.deletionTimestamp)
    return undefined;
  const key = ANNOTATIONS.multusNetworks;
  const present = pod.metadata.annotations?.[key];
  // Asked for by the user himself, for a pod without networks of the spec.
  if (present !== undefined && present === vmi.metadata.annotations?.[key]) return undefined;
  const wanted = multusAnnotations(vmi, interfacesInUse(vmi))[key] ?? '[]';
  return wanted === (present ?? '[]') ? undefined : wanted;
}
