/** What the storage of the local cluster is to do next, from the claims and volumes there are. Pure. */
export const provisioners = { local: 'yagura.dev/local', shared: 'yagura.dev/shared' } as const;
export type Kind = keyof typeof provisioners;

export interface Claim {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: { readonly phase?: string };
}

export interface Volume {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly local?: { readonly path: string };
    readonly volumeMode?: string;
    readonly persistentVolumeReclaimPolicy?: string;
  };
  readonly status?: { readonly phase?: string };
}

export type Action =
  | {
      readonly do: 'provision';
      readonly volume: string;
      readonly kind: Kind;
      readonly node: string | undefined;
      readonly block: boolean;
      readonly claim: Claim;
    }
  | { readonly do: 'remove'; readonly volume: string; readonly path: string; readonly block: boolean };

const selectedNode = 'volume.kubernetes.io/selected-node';
const provisionedBy = 'pv.kubernetes.io/provisioned-by';
const ours = new Set<string>(Object.values(provisioners));

export function planStorage(
  claims: readonly Claim[],
  volumes: readonly Volume[],
  classes: ReadonlyMap<string, string>,
): Action[] {
  const actions: Action[] = [];
  const names = new Set(volumes.map((volume) => volume.metadata.name));
  for (const claim of claims) {
    const provisioner = classes.get(claim.spec.storageClassName ?? '');
    const kind = (Object.keys(provisioners) as Kind[]).find((each) => provisioners[each] === provisioner);
    if (kind === undefined || (claim.spec.volumeName ?? '') !== '' || claim.metadata.deletionTimestamp !== undefined)
      continue;
    const volume = `pvc-${claim.metadata.uid}`;
    const node = claim.metadata.annotations?.[selectedNode];
    // A node-local volume waits for the scheduler to choose the node.
    if (names.has(volume) || (kind === 'local' && node === undefined)) continue;
    actions.push({
      do: 'provision',
      volume,
      kind,
      node: kind === 'local' ? node : undefined,
      block: claim.spec.volumeMode === 'Block',
      claim,
    });
  }
  for (const volume of volumes) {
    const { name, annotations } = volume.metadata;
    if (!ours.has(annotations?.[provisionedBy] ?? '') || volume.status?.phase !== 'Released') continue;
    if (volume.spec.persistentVolumeReclaimPolicy !== 'Delete' || volume.spec.local === undefined) continue;
    actions.push({
      do: 'remove',
      volume: name,
      path: volume.spec.local.path,
      block: volume.spec.volumeMode === 'Block',
    });
  }
  return actions;
}

/** The PersistentVolume for a claim. A shared volume is "local" to every node, for only local volumes get the pod's fsGroup. */
export function renderVolume(action: Extract<Action, { do: 'provision' }>, path: string): object {
  const { claim, kind, node } = action;
  const hostname = 'kubernetes.io/hostname';
  const place =
    node === undefined ? { key: hostname, operator: 'Exists' } : { key: hostname, operator: 'In', values: [node] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: action.volume, annotations: { [provisionedBy]: provisioners[kind] } },
    spec: {
      storageClassName: claim.spec.storageClassName,
      capacity: { storage: claim.spec.resources?.requests?.storage ?? '1Gi' },
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      volumeMode: action.block ? 'Block' : 'Filesystem',
      persistentVolumeReclaimPolicy: 'Delete',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [place] }] } },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: claim.metadata.namespace,
        name: claim.metadata.name,
        uid: claim.metadata.uid,
      },
    },
  };
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes of a Kubernetes quantity of storage, rounded up to whole sectors. */
export function storageBytes(quantity: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(quantity);
  const unit = units[match?.[2] ?? ''];
  if (match === null || unit === undefined)
    throw new Error(`storage ${quantity}: not a quantity this provisioner knows`);
  return Math.ceil((Number(match[1]) * unit) / 512) * 512;
}
