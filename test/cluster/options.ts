import { parseArgs } from 'node:util';

export type ProviderName = 'local' | 'kind' | 'existing';

export interface Options {
  readonly provider: ProviderName;
  /** Undefined: as many as there are, or the provider's default. */
  readonly nodes: number | undefined;
  /** Only the cluster: no images, no chart, no demo. */
  readonly bare: boolean;
  /** Where an existing cluster pulls images from, perhaps with a path. */
  readonly registry: string | undefined;
  /** Guests are emulated even where nodes offer KVM. */
  readonly emulate: boolean;
}

export const usage = `npm run up   -- [--provider local|kind|existing] [--nodes N] [--registry REGISTRY] [--emulate] [--bare]
npm run down -- [--provider local|kind|existing]

  local       real Kubernetes from its Go module on this machine, each node in namespaces of its own (default without Docker)
  kind        kind, with Docker (default where Docker answers)
  existing    the cluster that your current kubeconfig names; it needs --registry
  --nodes     how many nodes (local, kind); default 2, at most 9
  --registry  where to push the images, as REGISTRY/yagura/NAME:dev, and from where the cluster pulls them (existing)
  --emulate   emulate guests although nodes offer KVM (existing; local and kind always emulate)
  --bare      only the cluster: no images, no chart, no demo`;

export class UsageError extends Error {
  constructor(message: string) {
    super(`${message}\n\n${usage}`);
    this.name = 'UsageError';
  }
}

export function parseOptions(args: readonly string[], defaultProvider: ProviderName): Options {
  let values: { provider?: string; nodes?: string; registry?: string; emulate?: boolean; bare?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        provider: { type: 'string' },
        nodes: { type: 'string' },
        registry: { type: 'string' },
        emulate: { type: 'boolean' },
        bare: { type: 'boolean' },
      },
      allowPositionals: false,
    }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const provider = values.provider ?? defaultProvider;
  if (provider !== 'local' && provider !== 'kind' && provider !== 'existing') {
    throw new UsageError(`--provider ${provider}: not one of local, kind, existing`);
  }
  const { bare = false, emulate = false } = values;
  const registry = values.registry?.replace(/\/+$/, '');
  if (provider !== 'existing' && (registry !== undefined || emulate))
    throw new UsageError(`--registry and --emulate are for existing clusters, and this one is ${provider}`);
  const common: Omit<Options, 'nodes'> = { provider, bare, registry, emulate };
  if (values.nodes === undefined) return { ...common, nodes: undefined };
  if (provider === 'existing') throw new UsageError('--nodes: an existing cluster has the nodes it has');
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 9)
    throw new UsageError(`--nodes ${values.nodes}: not a number from 1 to 9`);
  return { ...common, nodes };
}
