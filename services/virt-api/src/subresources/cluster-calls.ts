import type { KubeClient } from '@yagura/kube';
import type { Reply, RequestContext } from '../http/router.ts';
import { StatusError } from '../http/status.ts';
import { versionInfo } from './version.ts';

type Call = (context: RequestContext) => Promise<Reply>;

const PROFILER = 'the "ClusterProfiler" feature gate must be enabled, and this product has no profiler behind it';

/** GET calls of the group that are about no object, by name. Whoever reaches the server may make them. */
export function clusterCalls(client: Pick<KubeClient, 'request'>): Readonly<Record<string, Call>> {
  const refusal =
    (code: number, message: string): Call =>
    async () => {
      throw new StatusError(code, message);
    };
  return {
    version: async () => ({ status: 200, body: versionInfo() }),
    healthz: async (context) => healthOf(client, context),
    guestfs: refusal(404, 'there is no libguestfs-tools image of this product'),
    'start-cluster-profiler': refusal(403, `Unable to start profiler: ${PROFILER}`),
    'stop-cluster-profiler': refusal(403, `Unable to stop profiler: ${PROFILER}`),
    'dump-cluster-profiler': refusal(403, `Unable to retrieve profiler data: ${PROFILER}`),
  };
}

/** Whether the API server answers us, which is all that virt-api depends on. */
async function healthOf(client: Pick<KubeClient, 'request'>, context: RequestContext): Promise<Reply> {
  try {
    const version = await client.request<object>({ path: '/version', timeoutMs: 5000 }, context.signal);
    return { status: 200, body: { apiserver: { connectivity: 'ok', version } } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StatusError(503, `the API server does not answer: ${why}`);
  }
}
