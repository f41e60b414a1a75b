import { KubeError } from '@yagura/kube';
import { type LayersReport, layersReport, observe } from '@yagura/layers';
import type { CliContext } from './context.ts';
import { getSubresource } from './subresource.ts';
import type { Target } from './target.ts';

/** Codes by which the API server says that the one behind the subresource does not answer. */
const SILENT = [500, 502, 503, 504];

/** The layer report of a machine: from virt-api, or what can be said when that does not answer. */
export async function reportOf(context: CliContext, target: Target): Promise<LayersReport> {
  const client = await context.client();
  try {
    return await getSubresource<LayersReport>(client, 'virtualmachineinstances', target, 'layers', context.signal);
  } catch (error) {
    if (!isSilence(error)) throw error;
    const now = new Date();
    const silent = observe(
      {
        layer: 'kubernetes',
        field: 'virt-api',
        source: 'kube-apiserver',
        observedAt: undefined,
        maxAge: 5,
        state: 'failing',
        error: error.message,
      },
      now,
    );
    return layersReport(target, [silent], now);
  }
}

function isSilence(error: unknown): error is KubeError {
  if (!(error instanceof KubeError)) return false;
  // Without its APIService the aggregated API is not found as a whole; virt-api says which machine it has not found.
  return SILENT.includes(error.code) || (error.code === 404 && error.details.name === undefined);
}
