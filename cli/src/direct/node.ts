import { text } from 'node:stream/consumers';
import { type KubeClient, type KubeObject, type ObjectName, Pods } from '@yagura/kube';
import { type NodeAnswer, nodeAnswer } from '@yagura/layers';
import { messageOf } from '../errors.ts';
import type { Target } from '../target.ts';
import type { Product } from './product.ts';

const LIST_MS = 3_000;
/** The command itself waits three seconds for virt-handler. */
const EXEC_MS = 5_000;

interface PodView extends KubeObject {
  status?: { phase?: string };
}

/** Asks a node's virt-handler by a command in its pod, which only reads. Never rejects: no answer is an answer. */
export async function askNode(
  client: KubeClient,
  product: Product,
  node: string,
  target: Target,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  if (product.namespace === undefined) return { unreachable: product.error };
  try {
    const pod = await handlerPod(client, product.namespace, node, signal);
    if (pod === undefined) return { silent: `no virt-handler pod runs on node ${node}` };
    return await askPod(client, { ...pod, container: 'virt-handler' }, node, target, signal);
  } catch (error) {
    return { unreachable: `virt-handler on node ${node} cannot be asked: ${messageOf(error)}` };
  }
}

/** The running virt-handler pod of a node. */
export async function handlerPod(
  client: KubeClient,
  namespace: string,
  node: string,
  signal: AbortSignal,
): Promise<(ObjectName & { namespace: string }) | undefined> {
  const labelSelector = 'kubevirt.io=virt-handler';
  const query = { namespace, labelSelector, fieldSelector: `spec.nodeName=${node}`, timeoutMs: LIST_MS };
  const { items } = await client.list(Pods, query, signal);
  const running = (items as PodView[]).find(
    ({ metadata, status }) => status?.phase === 'Running' && !metadata?.deletionTimestamp,
  );
  const name = running?.metadata?.name;
  return name === undefined ? undefined : { namespace, name };
}

async function askPod(
  client: KubeClient,
  pod: ObjectName & { container: string },
  node: string,
  { namespace, name }: Target,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  const deadline = AbortSignal.timeout(EXEC_MS);
  const command = ['yagura-node', 'layers', `${namespace}/${name}`];
  try {
    const session = await client.exec(pod, { command }, AbortSignal.any([signal, deadline]));
    const [stdout, stderr, code] = await Promise.all([text(session.stdout), text(session.stderr), session.exit]);
    if (code === 0) return nodeAnswer(node, stdout);
    return { silent: `virt-handler on node ${node}: ${stderr.trim() || `exit code ${code}`}` };
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new Error(`no answer of pods/exec within ${EXEC_MS / 1000} s`, { cause: error });
  }
}
