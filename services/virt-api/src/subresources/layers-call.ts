import { type KubeClient, Leases, Nodes, Pods } from '@yagura/kube';
import { type LayersReport, layersReport, type Observation, observe } from '@yagura/layers';
import type { RequestContext } from '../http/router.ts';
import { notFound } from '../http/status.ts';
import {
  type KubernetesView,
  kubernetesLayer,
  type LeaseView,
  type Looked,
  type NodeView,
  type PodView,
} from './kubernetes-layer.ts';
import { VirtualMachineInstances, VirtualMachines, type Vm, type Vmi, vmiSubject } from './objects.ts';
import { absent } from './vm-calls.ts';
import type { VmiCall } from './vmi-calls.ts';
import type { Handlers } from './vmi-request.ts';

const CONTROLLER_LEASE = 'virt-controller';

export interface LayersOptions {
  client: Pick<KubeClient, 'get' | 'list'>;
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
  const now = options.now ?? (() => new Date());
  return async (context) => {
    const target = { namespace: context.params['namespace'] ?? '', name: context.params['name'] ?? '' };
    const [vm, vmi] = await Promise.all([
      look<Vm>(options.client.get(VirtualMachines, target, {}, context.signal).catch(absent)),
      look<Vmi>(options.client.get(VirtualMachineInstances, target, {}, context.signal).catch(absent)),
    ]);
    if (vm.found === undefined && vmi.found === undefined && !('error' in vm) && !('error' in vmi))
      throw notFound(vmiSubject(target.name));
    const node = vmi.found?.status?.nodeName || undefined;
    const [pods, nodeObject, controllerLease, nearer] = await Promise.all([
      launcherPods(options, vmi.found, context),
      node === undefined
        ? { found: undefined }
        : look<NodeView>(options.client.get(Nodes, { name: node }, {}, context.signal).catch(absent)),
      look<LeaseView>(
        options.client
          .get(Leases, { namespace: options.namespace, name: CONTROLLER_LEASE }, {}, context.signal)
          .then((lease) => lease as LeaseView, absent),
      ),
      node === undefined ? [] : handlerLayers(options, node, target, context, now),
    ]);
    const readAt = now();
    const view: KubernetesView = { vm, vmi, pods, node: nodeObject, controllerLease };
    const observations = [...kubernetesLayer(view, readAt, readAt), ...nearer];
    const uid = vmi.found?.metadata?.uid;
    const subject = { ...target, ...(uid === undefined ? {} : { uid }), ...(node === undefined ? {} : { node }) };
    return { status: 200, body: layersReport(subject, observations, readAt) };
  };
}

async function look<T extends object>(lookup: Promise<T | undefined>): Promise<Looked<T>> {
  try {
    const found = await lookup;
    return found ? { found } : { found: undefined };
  } catch (error) {
    return { found: undefined, error: error instanceof Error ? error.message : String(error) };
  }
}

async function launcherPods(
  { client }: LayersOptions,
  vmi: Vmi | undefined,
  context: RequestContext,
): Promise<Looked<PodView[]>> {
  const { uid, namespace } = vmi?.metadata ?? {};
  if (!uid || !namespace) return { found: undefined };
  const query = { namespace, labelSelector: `kubevirt.io=virt-launcher,kubevirt.io/created-by=${uid}` };
  return look<PodView[]>(client.list(Pods, query, context.signal).then((list) => list.items as PodView[]));
}

async function handlerLayers(
  { handlers }: LayersOptions,
  node: string,
  target: { namespace: string; name: string },
  context: RequestContext,
  now: () => Date,
): Promise<Observation[]> {
  const state = (error?: string): Observation => {
    const answered =
      error === undefined
        ? { observedAt: now(), state: 'answering' as const }
        : { observedAt: undefined, state: 'failing' as const, error };
    return observe(
      { layer: 'node', field: 'virt-handler', value: 'answers', source: 'virt-api', maxAge: 10, ...answered },
      now(),
    );
  };
  try {
    const answer = await handlers.call(node, target, 'GET', 'layers', { signal: context.signal });
    if (answer.status !== 200)
      return [state(`virt-handler on node ${node} answers ${answer.status}: ${answer.body.trim()}`)];
    const report = JSON.parse(answer.body) as Partial<LayersReport>;
    if (!Array.isArray(report.observations)) return [state(`virt-handler on node ${node} answers no observations`)];
    return [state(), ...report.observations];
  } catch (error) {
    return [state(error instanceof Error ? error.message : String(error))];
  }
}
