import { type LiveDomain, parseDomainXml } from '@yagura/domain';
import { type Domain, type DomainEvent, LibvirtTimeoutError } from '@yagura/libvirt';
import { errorMessage, type Logger } from '@yagura/runtime';

const TIMEOUT_MS = 2_000;

/** Events after which the domain's XML is another one. */
const CHANGES: ReadonlySet<DomainEvent['type']> = new Set([
  'lifecycle',
  'agent-lifecycle',
  'device-added',
  'device-removed',
  'memory-device-size-change',
]);

/**
 * The domain's XML, as it was last read. libvirt asks QEMU before it tells that of a running domain, in any form, so it
 * is read no more often than needed, and not at all while QEMU does not answer.
 */
export class LiveXml {
  readonly #log: Logger;
  readonly #monitorSilent: () => boolean;
  #live: LiveDomain | undefined;
  #stale = true;

  constructor(log: Logger, monitorSilent: () => boolean) {
    this.#log = log;
    this.#monitorSilent = monitorSilent;
  }

  get live(): LiveDomain | undefined {
    return this.#live;
  }

  /** A new connection: anything may have happened. */
  invalidate(): void {
    this.#stale = true;
  }

  noteEvent(event: DomainEvent): void {
    if (CHANGES.has(event.type)) this.#stale = true;
  }

  /** The XML if it had to be read and could be; what was read before stays when libvirt cannot tell. */
  async refresh(domain: Domain, active: boolean): Promise<LiveDomain | undefined> {
    if (!this.#stale || (active && this.#monitorSilent())) return undefined;
    this.#stale = false;
    try {
      this.#live = parseDomainXml(await domain.getXMLDesc(active ? [] : ['inactive'], { timeoutMs: TIMEOUT_MS }));
      return this.#live;
    } catch (error) {
      this.#stale = true;
      if (!(error instanceof LibvirtTimeoutError)) throw error;
      this.#log.debug({ error: errorMessage(error) }, 'libvirt does not tell the XML');
      return undefined;
    }
  }
}
