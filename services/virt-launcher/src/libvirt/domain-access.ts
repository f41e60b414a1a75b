import { type Connection, type Domain, isLibvirtError } from '@yagura/libvirt';
import type { LibvirtLink } from './link.ts';

/** The handle of the one domain of this launcher, looked up once a connection. */
export class DomainAccess {
  readonly #link: LibvirtLink;
  #cached: { connection: Connection; domain: Domain } | undefined;

  constructor(link: LibvirtLink) {
    this.#link = link;
  }

  /** undefined when libvirt has no such domain. Throws NotConnectedError. */
  async find(name: string): Promise<Domain | undefined> {
    const connection = this.#link.connection;
    const cached = this.#cached;
    if (cached?.connection === connection && cached.domain.name === name && cached.domain.open) return cached.domain;
    try {
      const domain = await connection.lookupByName(name);
      this.#cached = { connection, domain };
      return domain;
    } catch (error) {
      if (isLibvirtError(error, 'NO_DOMAIN')) return undefined;
      throw error;
    }
  }

  /** Forgets the handle, as after the domain was undefined. */
  forget(): void {
    this.#cached = undefined;
  }
}
