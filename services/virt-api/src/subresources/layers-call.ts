import type { KubeClient } from '@yagura/kube';
import { lastChanges, layersReport, type NodeAnswer, nodeAnswer, nodeObservations } from '@yagura/layers';
import { type Get, kubernetesLayer, readKubernetes } from '@yagura/layers/kubernetes';
import type { RequestContext } from '../http/router.ts';
import { notFound } from '../http/status.ts';
import { vmiSubject } from './objects.ts';
import type { VmiCall } from './vmi-calls.ts';
import { type Handlers, messageOf, targetOf } from './vmi-request.ts';

/** virt-handler asks a launcher for two seconds at most; one that takes longer hangs itself, which is the answer. */
const HANDLER_MS = 3_500;
/** For each object: a report without it is better than none. */
const OBJECT_MS = 3_000;

export interface LayersOptions {
  client: Pick<KubeClient, 'dated'>;
  handlers: Handlers;
  /** Of the installation. */
  namespace: string;
  now?: () => Date;
}

/**
 * GET layers: the kubernetes layer as the API server has it, and all nearer layers as the node's virt-handler serves them.
 * When the handler does not answer, that is an observation too, and the rest is told all the same.
 */
export function layersCall(options: LayersOptions): VmiCall {
  const { client, namespace, now = () => new Date() } = options;
  return async (context) => {
    const target = targetOf(context);
    const get: Get = async (path, query) => client.dated({ path, query, timeoutMs: OBJECT_MS }, context.signal);
    let asked: Promise<NodeAnswer> | undefined;
    const onNode = (node: string) => {
      asked = askHandler(options.handlers, node, context);
    };
    const reading = await readKubernetes({ get, target, product: { namespace }, reader: 'virt-api', now, onNode });
    if (reading === undefined) throw notFound(vmiSubject(target.name));
    const nearer = await asked;
    const readAt = reading.clock.now();
    const observations = [
      ...kubernetesLayer(reading.view, readAt),
      ...(nearer === undefined ? [] : nodeObservations(nearer, 'virt-api', readAt)),
    ];
    return { status: 200, body: layersReport(reading.subject, observations, readAt, lastChanges(nearer)) };
  };
}

/** Never rejects: no answer is an answer. */
async function askHandler(handlers: Handlers, node: string, context: RequestContext): Promise<NodeAnswer> {
  try {
    const { signal } = context;
    const answer = await handlers.call(node, targetOf(context), 'GET', 'layers', { signal, timeoutMs: HANDLER_MS });
    if (answer.status === 200) return nodeAnswer(node, answer.body);
    return { silent: `virt-handler on node ${node} answers ${answer.status}: ${messageOf(answer)}` };
  } catch (error) {
    return { silent: error instanceof Error ? error.message : String(error) };
  }
}
