import type { Domain } from '@yagura/libvirt';
import { isConnectionLost, LibvirtTimeoutError } from '@yagura/libvirt';
import { errorMessage, sleep } from '@yagura/runtime';
import { NotConnectedError } from '../libvirt/link.ts';
import type { MonitorView } from './view.ts';

const PERIOD_MS = 3_000;
/** A QEMU that is only busy answers in milliseconds; one that is stopped never does. */
const TIMEOUT_MS = 3_000;

/** What the probe needs of libvirt: both ask for one running domain. */
export interface MonitorAccess {
  /** Makes libvirt ask QEMU something. */
  ask: (timeoutMs: number) => Promise<unknown>;
  /** The running domain; undefined when there is none. */
  domain: () => Promise<Domain | undefined>;
}

/**
 * Asks QEMU for a sign of life. While a question is unanswered no second one is sent: each would keep one of the
 * daemon's threads.
 */
export class MonitorProbe {
  readonly #access: MonitorAccess;
  readonly #onChange: (type: 'monitor-silent' | 'monitor-answers', detail: string) => void;
  #asking: Promise<void> | undefined;
  #view: MonitorView = { lastAnswer: undefined, silentSince: undefined, lastError: undefined };

  constructor(access: MonitorAccess, onChange: (type: 'monitor-silent' | 'monitor-answers', detail: string) => void) {
    this.#access = access;
    this.#onChange = onChange;
  }

  get view(): MonitorView {
    return this.#view;
  }

  get silent(): boolean {
    return this.#view.silentSince !== undefined;
  }

  /** Another call got an answer from QEMU, or none in time. */
  noteAnswer(): void {
    const wasSilent = this.silent;
    this.#view = { lastAnswer: new Date(), silentSince: undefined, lastError: undefined };
    if (wasSilent) this.#onChange('monitor-answers', '');
  }

  noteSilence(error: string): void {
    if (this.silent) return;
    this.#view = { ...this.#view, silentSince: new Date(), lastError: error };
    this.#onChange('monitor-silent', error);
  }

  /** No domain runs: nobody is silent. */
  reset(): void {
    this.#view = { ...this.#view, silentSince: undefined, lastError: undefined };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.probe();
      await sleep(PERIOD_MS, signal);
    }
  }

  /** A call that comes while a question is on its way gets the answer to that. */
  async probe(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      const domain = await this.#access.domain();
      if (domain === undefined) return this.reset();
      // An earlier question still waits on QEMU: asking libvirt about that needs no answer from QEMU.
      if (this.silent && (await domain.getControlInfo()).state !== 'ok') return;
      await this.#access.ask(TIMEOUT_MS);
      this.noteAnswer();
    } catch (error) {
      if (error instanceof NotConnectedError || isConnectionLost(error)) return;
      if (error instanceof LibvirtTimeoutError) this.noteSilence(`QEMU did not answer within ${TIMEOUT_MS} ms`);
      else if (this.silent) this.#view = { ...this.#view, lastError: errorMessage(error) };
    }
  }
}
