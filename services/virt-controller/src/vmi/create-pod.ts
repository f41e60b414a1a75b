import { createHash } from 'node:crypto';
import {
  type ClaimModes,
  type ClusterConfig,
  launcherPodName,
  type Pod,
  REASONS,
  renderLauncherPod,
  type VirtualMachineInstance,
} from '@yagura/api';
import { isAlreadyExists, isForbidden, type KubeClient, KubeError } from '@yagura/kube';
import { networkDefinitions, withNetworkDevices } from '../networks/definitions.ts';
import { refusalWords } from '../refusal-words.ts';
import { Pods } from '../resources.ts';
import type { Trouble } from './image-pull.ts';
import { isPodOf, wasRefused } from './pods.ts';

const SUFFIX_LENGTH = 5;
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The pod's name follows from the instance and the pods the kubelet has refused so far. Two attempts at the same pod,
 * by an old view of the cluster or by the leader after a crash, meet in one name, and the second gets AlreadyExists.
 */
export function nextPodName(vmi: VirtualMachineInstance, pods: readonly Pod[]): string {
  const refused = pods.filter(wasRefused).map(({ metadata }) => metadata.uid ?? '');
  const digest = createHash('sha256')
    .update([vmi.metadata.uid ?? '', ...refused.sort()].join())
    .digest();
  const suffix = [...digest.subarray(0, SUFFIX_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return launcherPodName(vmi.metadata.name, suffix);
}

export type PodCreation = { kind: 'created' | 'found'; pod: Pod } | { kind: 'refused'; trouble: Trouble };

/** Creates the pod, or finds the one that was created before. What the API server will never accept comes back as trouble; the rest is thrown. */
export async function createPod(
  client: KubeClient,
  vmi: VirtualMachineInstance,
  pods: readonly Pod[],
  claims: ClaimModes,
  config: ClusterConfig,
  image: string,
  signal: AbortSignal,
): Promise<PodCreation> {
  const name = nextPodName(vmi, pods);
  const networks = await networkDefinitions(client, vmi, signal);
  if ('problem' in networks) return refused(networks.problem);
  try {
    const pod = withNetworkDevices(
      renderLauncherPod(vmi, config, { image, podName: name, claims }),
      networks.resources,
    );
    return { kind: 'created', pod: await client.create(Pods, pod, {}, signal) };
  } catch (error) {
    if (isAlreadyExists(error)) {
      const pod = await client.get(Pods, { namespace: vmi.metadata.namespace, name }, {}, signal);
      if (isPodOf(pod, vmi)) return { kind: 'found', pod };
      return refused(`pod ${name} exists and does not belong to this instance`);
    }
    if (error instanceof KubeError && error.code >= 400 && error.code < 500 && error.code !== 429) {
      return refused(
        isForbidden(error) && /PodSecurity/.test(error.message) ? podSecurity(error.message) : error.message,
      );
    }
    throw error;
  }
}

function refused(message: string): PodCreation {
  return {
    kind: 'refused',
    trouble: { reason: REASONS.failedCreate, message: `the launcher pod cannot be created: ${refusalWords(message)}` },
  };
}

function podSecurity(message: string): string {
  return `${message}. The namespace's Pod Security level does not admit it: label the namespace pod-security.kubernetes.io/enforce=privileged`;
}
