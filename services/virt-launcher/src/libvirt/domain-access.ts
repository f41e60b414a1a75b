import { METADATA_NAMESPACE, parseMetadataXml } from '@yagura/domain';
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

/** UID of the instance that a domain was defined for; read without a question to QEMU, which may hang. */
export async function ownerOf(domain: Domain): Promise<string | undefined> {
  try {
    return parseMetadataXml(await domain.getMetadata('element', METADATA_NAMESPACE, ['config']))?.uid;
  } catch (error) {
    if (isLibvirtError(error, 'NO_DOMAIN_METADATA')) return undefined;
    throw error;
  }
}
