import type { ClusterConfig } from '@yagura/api';
import { decideEviction } from '@yagura/api/validation';
import { errorMessage } from '@yagura/runtime';
import type { ClusterObjects } from './cluster-objects.ts';
import type { AdmissionRequest, AsyncWebhook, Verdict } from './review.ts';

/** Asks to be tried again later, which `kubectl drain` and the descheduler do; any other code ends a drain. */
const LATER = 429;

/** Holds the eviction of a launcher pod up where its guest is to be moved first. */
export function validateEviction(cluster: ClusterObjects, config: () => ClusterConfig): AsyncWebhook {
  return async (request): Promise<Verdict> => {
    try {
      return await judge(request, cluster, config());
    } catch (error) {
      return {
        allowed: false,
        code: LATER,
        message: `whether the guest of pod ${request.name} may be evicted cannot be found out now: ${errorMessage(error)}`,
      };
    }
  };
}

async function judge(request: AdmissionRequest, cluster: ClusterObjects, config: ClusterConfig): Promise<Verdict> {
  const name = request.name ?? request.object?.metadata?.name ?? '';
  const pod = await cluster.pod(request.namespace ?? '', name);
  if (!pod) return { allowed: true };
  const vmi = await cluster.instanceOf(pod);
  // Migrations are refused by this version.
  const decision = decideEviction(pod, vmi, config, false);
  if (decision.allowed) return { allowed: true };
  if (vmi && decision.mark && !request.dryRun) await cluster.markForEvacuation(vmi, decision.mark);
  return { allowed: false, code: LATER, message: decision.message };
}
