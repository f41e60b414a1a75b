import { ConversionError } from '../errors.ts';
import type { HypervFeature, HypervModel } from '../model.ts';
import type { DomainSpec } from '../vmi.ts';

type Features = NonNullable<DomainSpec['features']>;
type Hyperv = NonNullable<Features['hyperv']>;
interface Toggle {
  enabled?: boolean;
}

const DEFAULT_SPINLOCK_RETRIES = 4096;
const DEFAULT_VENDOR = 'KubeVirt';

/** libvirt's words for the enlightenments, in the order of its schema. */
const NAMES: Readonly<Record<keyof Hyperv, string>> = {
  relaxed: 'relaxed',
  vapic: 'vapic',
  spinlocks: 'spinlocks',
  vpindex: 'vpindex',
  runtime: 'runtime',
  synic: 'synic',
  synictimer: 'stimer',
  reset: 'reset',
  vendorid: 'vendor_id',
  frequencies: 'frequencies',
  reenlightenment: 'reenlightenment',
  tlbflush: 'tlbflush',
  ipi: 'ipi',
  evmcs: 'evmcs',
};

export function hypervModel({ hyperv, hypervPassthrough }: Features): HypervModel | undefined {
  if (hypervPassthrough !== undefined && hypervPassthrough.enabled !== false) {
    if (hyperv !== undefined) {
      throw new ConversionError('spec.domain.features.hypervPassthrough', 'is given with hyperv; choose one');
    }
    return { mode: 'passthrough' };
  }
  if (hyperv === undefined) return undefined;
  const keys = Object.keys(NAMES) as (keyof Hyperv)[];
  const features = keys.flatMap((key) => (hyperv[key] === undefined ? [] : [feature(hyperv, key)]));
  return { mode: 'custom', features };
}

function feature(hyperv: Hyperv, key: keyof Hyperv): HypervFeature {
  const given: Toggle = hyperv[key] ?? {};
  const plain = { name: NAMES[key], state: stateOf(given) };
  if (plain.state === 'off') return plain;
  switch (key) {
    case 'spinlocks':
      return { ...plain, attributes: { retries: hyperv.spinlocks?.spinlocks ?? DEFAULT_SPINLOCK_RETRIES } };
    case 'vendorid':
      return { ...plain, attributes: { value: hyperv.vendorid?.vendorid || DEFAULT_VENDOR } };
    case 'synictimer':
      return { ...plain, inner: inner({ direct: hyperv.synictimer?.direct }) };
    case 'tlbflush':
      return { ...plain, inner: inner({ direct: hyperv.tlbflush?.direct, extended: hyperv.tlbflush?.extended }) };
    default:
      return plain;
  }
}

function inner(toggles: Record<string, Toggle | undefined>): HypervFeature[] {
  return Object.entries(toggles).flatMap(([name, given]) =>
    given === undefined ? [] : [{ name, state: stateOf(given) }],
  );
}

function stateOf({ enabled }: Toggle): 'on' | 'off' {
  return enabled === false ? 'off' : 'on';
}
