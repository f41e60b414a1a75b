import { counter, type Family, type Series } from '@yagura/runtime/metrics';

export const COUNTERS = {
  synced: counter('kubevirt_vmi_sync_total', 'Times that virt-handler has looked at a virtual machine instance.'),
  panicked: counter('kubevirt_vmi_guest_os_panic_total', 'Times that the kernel of a guest has panicked.'),
};

/** Names of which the panics are remembered: they outlast the instance, whose successor has its name. */
const REMEMBERED = 1000;

/** What this virt-handler has counted itself, by `namespace/name` of the instance. */
export class VmiCounters {
  readonly #synced = new Map<string, number>();
  readonly #panicked = new Map<string, number>();

  synced(key: string): void {
    this.#synced.set(key, (this.#synced.get(key) ?? 0) + 1);
  }

  /** Takes any event of the launcher; libvirt's word for a panic is `crashed panicked`. */
  event(key: string, { type, detail }: { type: string; detail: string }): void {
    if (type !== 'lifecycle' || detail !== 'crashed panicked') return;
    const before = this.#panicked.get(key) ?? 0;
    this.#panicked.delete(key);
    this.#panicked.set(key, before + 1);
    const [oldest] = this.#panicked.keys();
    if (this.#panicked.size > REMEMBERED && oldest !== undefined) this.#panicked.delete(oldest);
  }

  /** The instance is gone. */
  forget(key: string): void {
    this.#synced.delete(key);
  }

  series(): Series[] {
    return [...seriesOf(COUNTERS.synced, this.#synced), ...seriesOf(COUNTERS.panicked, this.#panicked)];
  }
}

function seriesOf(family: Family, counts: ReadonlyMap<string, number>): Series[] {
  return [...counts].map(([key, value]) => {
    const [namespace, name] = key.split('/');
    return { family, labels: { namespace, name }, value };
  });
}
