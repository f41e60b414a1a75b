import { parseArgs } from 'node:util';

export type ProviderName = 'local' | 'kind' | 'existing';

export interface Options {
  readonly provider: ProviderName;
  /** Undefined: as many as there are, or the provider's default. */
  readonly nodes: number | undefined;
  /** Only the cluster: no images, no chart, no demo. */
  readonly bare: boolean;
}

export const usage = `npm run up   -- [--provider local|kind|existing] [--nodes N] [--bare]
npm run down -- [--provider local|kind|existing]

  local     real Kubernetes from its Go module on this machine, each node in namespaces of its own (default without Docker)
  kind      kind, with Docker (default where Docker answers)
  existing  the cluster that your current kubeconfig names
  --nodes   how many nodes (local, kind); default 2, at most 9
  --bare    only the cluster: no images, no chart, no demo`;

export class UsageError extends Error {
  constructor(message: string) {
    super(`${message}\n\n${usage}`);
    this.name = 'UsageError';
  }
}

export function parseOptions(args: readonly string[], defaultProvider: ProviderName): Options {
  let values: { provider?: string; nodes?: string; bare?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { provider: { type: 'string' }, nodes: { type: 'string' }, bare: { type: 'boolean' } },
      allowPositionals: false,
    }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const provider = values.provider ?? defaultProvider;
  if (provider !== 'local' && provider !== 'kind' && provider !== 'existing') {
    throw new UsageError(`--provider ${provider}: not one of local, kind, existing`);
  }
  const bare = values.bare ?? false;
  if (values.nodes === undefined) return { provider, nodes: undefined, bare };
  if (provider === 'existing') throw new UsageError('--nodes: an existing cluster has the nodes it has');
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 9)
    throw new UsageError(`--nodes ${values.nodes}: not a number from 1 to 9`);
  return { provider, nodes, bare };
}
