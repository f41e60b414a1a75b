import { type DomainStats, LibvirtTimeoutError, type StatsGroup } from '@yagura/libvirt';
import type { LibvirtLink } from '../libvirt/link.ts';
import { SilentQemuError, WrongStateError } from './errors.ts';
import type { MonitorProbe } from './monitor-probe.ts';

const GROUPS: readonly StatsGroup[] = ['state', 'cpu', 'balloon', 'vcpu', 'interface', 'block', 'dirtyrate'];
/** A scrape of a node must not wait for one hung QEMU. */
const TIMEOUT_MS = 1_500;

/** libvirt's bulk statistics of the domain. */
export class StatsReader {
  readonly #link: LibvirtLink;
  readonly #monitor: () => MonitorProbe;
  #stuckSince: Date | undefined;

  constructor(link: LibvirtLink, monitor: () => MonitorProbe) {
    this.#link = link;
    this.#monitor = monitor;
  }

  /** Throws SilentQemuError when QEMU does not answer, at once while an earlier question waits for it. */
  async read(name: string): Promise<DomainStats> {
    const { lastAnswer, silentSince } = this.#monitor().view;
    const stuck = this.#stuckSince !== undefined && !(lastAnswer !== undefined && lastAnswer > this.#stuckSince);
    if (stuck || silentSince !== undefined) {
      const since = (silentSince ?? this.#stuckSince)?.toISOString();
      throw new SilentQemuError(`QEMU has not answered since ${since}`);
    }
    this.#stuckSince = undefined;
    try {
      const stats = await this.ask(name, GROUPS, TIMEOUT_MS);
      this.#monitor().noteAnswer();
      return stats;
    } catch (error) {
      if (!(error instanceof LibvirtTimeoutError)) throw error;
      this.#stuckSince = new Date();
      throw new SilentQemuError(`QEMU did not answer within ${TIMEOUT_MS} ms`, { cause: error });
    }
  }

  async ask(name: string, groups: readonly StatsGroup[], timeoutMs: number): Promise<DomainStats> {
    const all = await this.#link.connection.getAllDomainStats(groups, ['active'], { timeoutMs });
    const stats = all.find(({ domain }) => domain.name === name);
    if (stats === undefined) throw new WrongStateError('no domain is running');
    return stats;
  }
}
