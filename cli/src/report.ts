import { ConnectionError, KubeError } from '@yagura/kube';
import type { LayersReport } from '@yagura/layers';
import type { CliContext } from './context.ts';
import { directReport } from './direct/report.ts';
import { getSubresource } from './subresource.ts';
import type { Target } from './target.ts';

/** Codes by which the API server says that the one behind the subresource does not answer. */
const SILENT = [500, 502, 503, 504];
/** virt-api gives the node's virt-handler half of it. */
const VIRT_API_MS = 6_000;

/** The layer report of a machine: from virt-api or, when that does not answer, from those that it asks. */
export async function reportOf(context: CliContext, target: Target): Promise<LayersReport> {
  const client = await context.client();
  try {
    return await getSubresource<LayersReport>(
      client,
      'virtualmachineinstances',
      target,
      'layers',
      context.signal,
      VIRT_API_MS,
    );
  } catch (error) {
    if (!isSilence(error)) throw error;
    return directReport(client, target, error, context.signal);
  }
}

function isSilence(error: unknown): error is KubeError | ConnectionError {
  // A virt-api that hangs looks to us as if the API server did; that is tried next.
  if (error instanceof ConnectionError) return error.timedOut;
  if (!(error instanceof KubeError)) return false;
  // Without its APIService the aggregated API is not found as a whole; virt-api says which machine it has not found.
  return SILENT.includes(error.code) || (error.code === 404 && error.details.name === undefined);
}
