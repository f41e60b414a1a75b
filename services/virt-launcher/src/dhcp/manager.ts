import { readFile, rename, writeFile } from 'node:fs/promises';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import type { Lease } from './lease.ts';
import { DhcpServer } from './server.ts';

const RETRY_MS = 1_000;

interface Running {
  key: string;
  stop: AbortController;
  server: DhcpServer;
}

/** Serves the leases that it was last told, also after a restart of the launcher. */
export class DhcpManager {
  readonly #path: string;
  readonly #log: Logger;
  readonly #onGrant: () => void;
  readonly #running = new Map<string, Running>();
  #leases: readonly Lease[] = [];

  constructor(path: string, log: Logger, onGrant: () => void) {
    this.#path = path;
    this.#log = log;
    this.#onGrant = onGrant;
  }

  /** What is served now. */
  get leases(): readonly Lease[] {
    return this.#leases;
  }

  /** Serves what was kept from an earlier run. */
  async restore(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => '[]');
    await this.#apply(JSON.parse(text) as Lease[]);
  }

  /** Serves exactly these leases; one that is served already is not interrupted. */
  async serve(leases: readonly Lease[]): Promise<void> {
    await writeFile(`${this.#path}.new`, JSON.stringify(leases), { mode: 0o640 });
    await rename(`${this.#path}.new`, this.#path);
    await this.#apply(leases);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map(async (bridge) => this.#end(bridge)));
  }

  async #apply(leases: readonly Lease[]): Promise<void> {
    this.#leases = leases;
    const wanted = new Map(leases.map((lease) => [lease.serverAddress, lease]));
    for (const [address, running] of this.#running) {
      const lease = wanted.get(address);
      if (lease === undefined || JSON.stringify(lease) !== running.key) await this.#end(address);
    }
    for (const [address, lease] of wanted) if (!this.#running.has(address)) await this.#begin(lease);
  }

  async #begin(lease: Lease): Promise<void> {
    const server = new DhcpServer(lease, this.#log, this.#onGrant);
    const stop = new AbortController();
    this.#running.set(lease.serverAddress, { key: JSON.stringify(lease), stop, server });
    if (!(await this.#tryStart(server))) void this.#keepTrying(server, stop.signal);
  }

  async #end(address: string): Promise<void> {
    const running = this.#running.get(address);
    this.#running.delete(address);
    running?.stop.abort();
    await running?.server.stop();
  }

  /** The bridge may still be in the making: the guest asks again, and so do we. */
  async #keepTrying(server: DhcpServer, signal: AbortSignal): Promise<void> {
    do await sleep(RETRY_MS, signal);
    while (!signal.aborted && !(await this.#tryStart(server)));
    if (signal.aborted) await server.stop();
  }

  async #tryStart(server: DhcpServer): Promise<boolean> {
    try {
      await server.start();
      return true;
    } catch (error) {
      this.#log.warn({ error: errorMessage(error) }, 'the DHCP server cannot start yet');
      return false;
    }
  }
}
