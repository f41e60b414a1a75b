import { type LiveDomain, nameOfAlias } from '@yagura/domain';
import type { Domain, DomainEvent, StateAndReason } from '@yagura/libvirt';
import type { IoErrorView } from './view.ts';

const TIMEOUT_MS = 2_000;

/** The I/O errors that the domain's disks are in. */
export class IoErrors {
  #errors: readonly IoErrorView[] = [];

  get all(): readonly IoErrorView[] {
    return this.#errors;
  }

  noteEvent(event: DomainEvent): void {
    if (event.type === 'lifecycle' && event.event === 'resumed') this.#errors = [];
    if (event.type !== 'io-error' || event.action === 'none') return;
    this.#add(nameOfAlias(event.device) ?? '', event.device, event.reason);
  }

  /** Asks for what a launcher that was restarted has not seen. */
  async recall(domain: Domain, { state, reason }: StateAndReason, live: LiveDomain | undefined): Promise<void> {
    if (state !== 'paused' || reason !== 'ioerror' || this.#errors.length > 0) return;
    for (const { disk, error } of await domain.getDiskErrors({ timeoutMs: TIMEOUT_MS })) {
      const known = live?.disks.find(({ target }) => target === disk);
      this.#add(known?.name ?? '', known?.alias ?? disk, error);
    }
  }

  #add(volume: string, device: string, reason: string): void {
    const others = this.#errors.filter((error) => error.device !== device);
    this.#errors = [...others, { volume, device, reason: reason || 'unspecified', time: new Date() }];
  }
}
