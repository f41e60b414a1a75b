import { type KubeClient, type ObjectName, Pods, resourcePath } from '@yagura/kube';
import type { LayersReport, LogTail } from '@yagura/layers';
import { messageOf } from '../errors.ts';
import { handlerPod } from './node.ts';
import { findProduct } from './product.ts';

const LINES = 20;
/** Of virt-handler's log, which is about all guests of its node. */
const HANDLER_LINES = 3_000;
const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 5_000;

/**
 * The last lines of the machine's launchers, and those of the node's virt-handler that name the machine: read from the
 * API server under the caller's own rights, so that nobody sees by a report what he may not see.
 */
export async function logTails(client: KubeClient, report: LayersReport, signal: AbortSignal): Promise<LogTail[]> {
  const { namespace, name } = report.metadata;
  const tail = async (pod: Pod, lines: number, wanted: (line: string) => boolean): Promise<LogTail> => {
    const source = `${pod.namespace}/${pod.name} ${pod.container}`;
    try {
      const all = await readLog(client, pod, lines, signal);
      return { source, lines: all.filter(wanted).slice(-LINES) };
    } catch (error) {
      return { source, lines: [], error: messageOf(error) };
    }
  };
  const launchers = podNames(report).map(async (pod) =>
    tail({ namespace, name: pod, container: 'compute' }, LINES, (line) => line !== ''),
  );
  const { node } = report;
  const handler =
    node === undefined
      ? []
      : [
          findHandler(client, node, signal).then(
            async (pod) => tail(pod, HANDLER_LINES, (line) => line.includes(`"${namespace}/${name}"`)),
            (error: unknown): LogTail => ({ source: `virt-handler on ${node}`, lines: [], error: messageOf(error) }),
          ),
        ];
  return Promise.all([...handler, ...launchers]);
}

type Pod = ObjectName & { namespace: string; container: string };

async function findHandler(client: KubeClient, node: string, signal: AbortSignal): Promise<Pod> {
  const product = await findProduct(client, TIMEOUT_MS, signal);
  if (product.namespace === undefined) throw new Error(product.error);
  const pod = await handlerPod(client, product.namespace, node, signal);
  if (pod === undefined) throw new Error(`no virt-handler pod runs on node ${node}`);
  return { ...pod, container: 'virt-handler' };
}

async function readLog(client: KubeClient, pod: Pod, tailLines: number, signal: AbortSignal): Promise<string[]> {
  const path = resourcePath(Pods, { namespace: pod.namespace, name: pod.name, subresource: 'log' });
  const query = { container: pod.container, tailLines, limitBytes: MAX_BYTES };
  const text = await client.request<string>({ path, query, headers: { Accept: '*/*' }, timeoutMs: TIMEOUT_MS }, signal);
  return String(text).split('\n');
}

/** Of the launcher pods that the report tells of. */
function podNames({ observations }: LayersReport): string[] {
  return observations.flatMap(({ layer, field, value }) => {
    if (layer !== 'kubernetes') return [];
    if (field === 'pod.name' && typeof value === 'string') return [value];
    return /^pod\[(.+)\]\.phase$/.exec(field)?.[1] ?? [];
  });
}
