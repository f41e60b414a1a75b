import { ANNOTATIONS, type Pod, PRIMARY_POD_INTERFACE } from '@yagura/api';

/** An entry of what Multus says of a pod, as far as it is used. */
interface Attached {
  interface?: string;
  default?: boolean;
}

/**
 * The pod's interfaces, as Multus tells them; empty where there is no Multus, or it has not spoken yet. Undefined when what
 * it says cannot be read: then nothing is known.
 */
export function attachedInterfaces(pod: Pod | undefined): ReadonlySet<string> | undefined {
  const told = entries(pod);
  return told && new Set(told.flatMap((entry) => (entry.interface && !entry.default ? [entry.interface] : [])));
}

/** The pod's own interface; what the kubelet's CNI calls it where nothing else is known. */
export function primaryInterface(pod: Pod | undefined): string {
  return entries(pod)?.find((entry) => entry.default)?.interface || PRIMARY_POD_INTERFACE;
}

function entries(pod: Pod | undefined): Attached[] | undefined {
  const text = pod?.metadata.annotations?.[ANNOTATIONS.multusNetworkStatus];
  if (!text) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((entry) => typeof entry === 'object' && entry !== null) : undefined;
  } catch {
    return undefined;
  }
}
