import { ANNOTATIONS, LABELS, type Node } from '@yagura/api';

/** Milliseconds since virt-handler's last sign of life; undefined on a node that never had one. */
export function heartbeatAge(node: Node, nowMs: number): number | undefined {
  const text = node.metadata.annotations?.[ANNOTATIONS.heartbeat];
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : nowMs - at;
}

/** A node without a heartbeat has never been ours to judge. */
export function isUnresponsive(node: Node, nowMs: number, timeoutMs: number): boolean {
  return (heartbeatAge(node, nowMs) ?? 0) > timeoutMs;
}

export function isSchedulable(node: Node): boolean {
  return node.metadata.labels?.[LABELS.schedulable] === 'true';
}
