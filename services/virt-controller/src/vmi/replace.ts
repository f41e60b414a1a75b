import { isOnNode, type Pod, type VirtualMachineInstance } from '@yagura/api';
import { wasRefused } from './pods.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Refused pods that stay, for whoever looks into it; they are also the memory of how often it happened. */
const KEPT = 5;

const byAge = (a: Pod, b: Pod) =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');

/** Milliseconds until a pod that the kubelet refused may be replaced; 0 when nothing was refused. */
export function waitBeforeReplacing(pods: readonly Pod[], nowMs: number): number {
  const refused = pods.filter(wasRefused).sort(byAge);
  const last = refused.at(-1);
  if (!last) return 0;
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (refused.length - 1));
  const at = Date.parse(last.metadata.creationTimestamp ?? '') || 0;
  return Math.max(0, at + wait - nowMs);
}

/** Refused pods nobody needs any more: all once the guest has a node, else the oldest. */
export function refusedPodsToDrop(vmi: VirtualMachineInstance, pods: readonly Pod[]): Pod[] {
  if (vmi.metadata.deletionTimestamp) return [];
  const refused = pods.filter((pod) => wasRefused(pod) && !pod.metadata.deletionTimestamp).sort(byAge);
  return isOnNode(vmi) ? refused : refused.slice(0, Math.max(0, refused.length - KEPT));
}
