import { findCondition, isOnNode, type Node, type Pod, REASONS, type VirtualMachineInstance } from '@yagura/api';

export interface NodeLoss {
  reason: string;
  message: string;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Whether the node's kubelet is heard of; it tells of pods, so without it nothing is known about a guest. */
export function isLost(node: Node | undefined): boolean {
  return node === undefined || (findCondition(node, 'Ready')?.status ?? 'True') !== 'True';
}

/**
 * Why nothing is known about the guest of an instance, and what would help. A node that is silent may run its guests all the
 * same: only when somebody who knows has its pods removed is the guest started elsewhere.
 */
export function nodeLoss(
  vmi: VirtualMachineInstance,
  node: Node | undefined,
  pod: Pod | undefined,
): NodeLoss | undefined {
  const name = vmi.status?.nodeName;
  if (!isOnNode(vmi) || !name || !isLost(node)) return undefined;
  const ready = node && findCondition(node, 'Ready');
  if (ready?.status === 'False') {
    return {
      reason: 'NodeNotReady',
      message: `node ${name} is not ready; its guest may run on: ${ready.message ?? ''}`,
    };
  }
  const { reason, lost } = { reason: REASONS.nodeUnresponsive, lost: lossOf(name, node) };
  if (node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE)) {
    return { reason, message: `${lost} and is marked out of service; waiting until its pods have been removed` };
  }
  const podName = pod?.metadata.name ?? '';
  const deletion = `kubectl -n ${vmi.metadata.namespace} delete pod ${podName} --grace-period=0 --force`;
  const taint = `kubectl taint node ${name} ${OUT_OF_SERVICE}=nodeshutdown:NoExecute`;
  return {
    reason,
    message:
      `${lost}: the guest may still run there, so it is not started elsewhere. ` +
      `Waiting for the node to return. If it is certain that the node is switched off, say so: ${node ? `${taint}, or ${deletion}` : deletion}`,
  };
}

function lossOf(name: string, node: Node | undefined): string {
  if (!node) return `node ${name} does not exist any more`;
  const since = findCondition(node, 'Ready')?.lastTransitionTime;
  return `node ${name} is not heard of${since ? ` since ${since}` : ''}`;
}
