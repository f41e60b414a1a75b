import { isConnectionLost, LibvirtTimeoutError } from '@yagura/libvirt';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import type { DomainAccess } from '../libvirt/domain-access.ts';
import { type LibvirtLink, NotConnectedError } from '../libvirt/link.ts';
import type { Paths } from '../paths.ts';
import { isAlive, killProcess, type ProcessIdentity, processOf } from '../process/pids.ts';
import { WrongStateError } from './errors.ts';
import { isActive } from './observer.ts';
import type { RunRecordFile } from './run-record.ts';

export interface StopDependencies {
  link: LibvirtLink;
  access: DomainAccess;
  record: RunRecordFile;
  paths: Paths;
  log: Logger;
  /** Whether the guest agent's last word was an answer. */
  agentAnswers: () => boolean;
  look: () => Promise<void>;
  /** Records the end of a domain whose QEMU is gone, without libvirt's word for it. */
  conclude: () => Promise<void>;
}

const AGENT_TIMEOUT_MS = 3_000;
/** For a QEMU that ends when it is told to; one that hangs does not react to libvirt's SIGTERM either. */
const DESTROY_TIMEOUT_MS = 1_000;
/** A daemon that was away for less may just be starting. */
const AWAY_MS = 1_000;
/** For libvirt to notice the end by itself, also when it has to be started first. */
const NOTICE_MS = 8_000;
const POLL_MS = 20;

/** Ends domains, politely or not. */
export class DomainStopper {
  readonly #deps: StopDependencies;

  constructor(deps: StopDependencies) {
    this.#deps = deps;
  }

  /** Asks the guest to shut down and returns at once; the agent's refusal falls back to the power button. */
  async requestShutdown(): Promise<'guest-agent' | 'acpi'> {
    const domain = await this.#running();
    this.#deps.record.note({
      shutdownRequestedAt: this.#deps.record.record?.shutdownRequestedAt ?? new Date().toISOString(),
    });
    if (!this.#deps.agentAnswers()) {
      await domain.shutdown(['acpi']);
      return 'acpi';
    }
    domain.shutdown(['guest-agent'], { timeoutMs: AGENT_TIMEOUT_MS }).catch(async (error: unknown) => {
      this.#deps.log.info({ error: errorMessage(error) }, 'no shutdown by the guest agent, pressing the power button');
      await domain
        .shutdown(['acpi'])
        .catch((err: unknown) => this.#deps.log.warn({ err }, 'no shutdown by ACPI either'));
    });
    return 'guest-agent';
  }

  /**
   * Ends the domain now and returns when QEMU is gone. First through libvirt; whoever does not react within a second is
   * killed by process id: QEMU, and a libvirt daemon that hangs, which its supervisor then starts anew.
   */
  async kill(reason: string): Promise<void> {
    const { record, log } = this.#deps;
    if (record.record === undefined || record.record.end !== undefined) return;
    record.note({ killReason: record.record.killReason ?? reason });
    const qemu = await this.#qemu();
    const answered = await this.#destroy();
    if (qemu !== undefined && (await isAlive(qemu))) {
      log.warn({ pid: qemu.pid }, 'QEMU did not end by libvirt, killing it');
      await killProcess(qemu);
    }
    if (answered === 'hung') await this.killDaemon();
    while (qemu !== undefined && (await isAlive(qemu))) await sleep(POLL_MS);
    await this.#deps.look();
    if (qemu !== undefined) void this.#concludeLater();
  }

  async #concludeLater(): Promise<void> {
    const deadline = Date.now() + NOTICE_MS;
    while (Date.now() < deadline && this.#deps.record.record?.end === undefined) await sleep(POLL_MS);
    if (this.#deps.record.record?.end === undefined) await this.#deps.conclude();
  }

  /** Kills a libvirt daemon that does not answer; its supervisor starts it anew. */
  async killDaemon(): Promise<void> {
    const daemon = await processOf(this.#deps.paths.libvirtPidFile, 'libvirtd');
    if (daemon === undefined) return;
    this.#deps.log.warn({ pid: daemon.pid }, 'the libvirt daemon does not answer, killing it');
    await killProcess(daemon);
    await this.#deps.link.drop();
  }

  async #destroy(): Promise<'done' | 'refused' | 'away' | 'hung'> {
    try {
      const domain = await withTimeout(
        this.#deps.access.find(this.#deps.record.record?.name ?? ''),
        DESTROY_TIMEOUT_MS,
      );
      if (domain !== undefined) await domain.destroy([], { timeoutMs: DESTROY_TIMEOUT_MS });
      return 'done';
    } catch (error) {
      if (error instanceof NotConnectedError || isConnectionLost(error)) return this.#awayForLong() ? 'hung' : 'away';
      if (!(error instanceof LibvirtTimeoutError)) return 'refused';
      // A daemon that still tells the state is only waiting for QEMU.
      return (await this.#daemonAnswers()) ? 'refused' : 'hung';
    }
  }

  #awayForLong(): boolean {
    const { connected, since } = this.#deps.link.status;
    return !connected && Date.now() - since.getTime() > AWAY_MS;
  }

  async #daemonAnswers(): Promise<boolean> {
    try {
      await this.#deps.link.connection.getLibVersion({ timeoutMs: DESTROY_TIMEOUT_MS });
      return true;
    } catch {
      return false;
    }
  }

  async #qemu(): Promise<ProcessIdentity | undefined> {
    const { record, paths } = this.#deps;
    return processOf(`${paths.qemuRun}/${record.record?.name}.pid`, 'qemu-system-x86_64');
  }

  async #running() {
    const domain = await this.#deps.access.find(this.#deps.record.record?.name ?? '');
    if (domain === undefined || !isActive(await domain.getState())) throw new WrongStateError('no domain is running');
    return domain;
  }
}

async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LibvirtTimeoutError('lookup', timeoutMs, true)), timeoutMs);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
