import { ConnectionError, type KubeClient, KubeError } from '@yagura/kube';
import {
  type LayersReport,
  lastChanges,
  layersReport,
  type NodeAnswer,
  nodeObservations,
  observe,
} from '@yagura/layers';
import { type Get, kubernetesLayer, readKubernetes } from '@yagura/layers/kubernetes';
import type { Target } from '../target.ts';
import { askNode } from './node.ts';
import { findProduct } from './product.ts';

const OBJECT_MS = 3_000;

/**
 * The layer report without virt-api, under the caller's own rights: the objects from the API server, the node by a
 * command in its virt-handler's pod. @param silence why virt-api is not asked
 */
export async function directReport(
  client: KubeClient,
  target: Target,
  silence: Error,
  signal: AbortSignal,
): Promise<LayersReport> {
  const get: Get = async (path, query) => client.dated({ path, query, timeoutMs: OBJECT_MS }, signal);
  const product = await findProduct(client, OBJECT_MS, signal);
  let asked: Promise<NodeAnswer> | undefined;
  const reading = await readKubernetes({
    get,
    target,
    product,
    reader: 'yagura',
    now: () => new Date(),
    onNode: (node) => {
      asked = askNode(client, product, node, target, signal);
    },
  });
  if (reading === undefined) throw notFound(target);
  const { vm, vmi } = reading.view;
  // Nobody answers: what hangs is the API server itself.
  if (silence instanceof ConnectionError && 'error' in vm && 'error' in vmi) throw silence;
  const nearer = await asked;
  const now = reading.clock.now();
  const observations = [
    observe(
      {
        layer: 'kubernetes',
        field: 'virt-api',
        source: 'kube-apiserver',
        observedAt: undefined,
        maxAge: 5,
        state: 'failing',
        error: silence.message,
      },
      now,
    ),
    ...kubernetesLayer(reading.view, now),
    ...(nearer === undefined ? [] : nodeObservations(nearer, 'pods/exec', now)),
  ];
  return layersReport(reading.subject, observations, now, lastChanges(nearer));
}

function notFound({ namespace, name }: Target): KubeError {
  const message = `virtualmachineinstances.kubevirt.io "${name}" not found in namespace ${namespace}`;
  return new KubeError({ code: 404, reason: 'NotFound', message, details: { name } }, 'layers');
}
