import { spawn } from 'node:child_process';
import type { Logger } from '@yagura/runtime';
import type { Outcome } from './run-record.ts';

// How long an ended domain is kept readable before its pod completes without anybody having said that it may.
/** With nobody watching: virt-handler may be restarting. */
const UNWATCHED_MS = 15_000;
/** With somebody watching, who should have answered with DeleteVirtualMachine long ago. */
const WATCHED_MS = 60_000;
/** The same once the kubelet wants the pod gone. */
const UNWATCHED_TERMINATING_MS = 1_000;
const WATCHED_TERMINATING_MS = 10_000;
/** For the answer of DeleteVirtualMachine to reach its caller. */
const FAREWELL_MS = 50;

/** Exit code of the pod: 0 for every end that somebody wanted. */
export function exitCodeOf(outcome: Outcome | undefined): number {
  return outcome === 'crashed' || outcome === 'failed' || outcome === 'unobserved' ? 1 : 0;
}

export interface PodEndDependencies {
  endPodProgram: string;
  log: Logger;
  outcome: () => Outcome | undefined;
  watchers: () => number;
  /** Last things to do before the pod ends. */
  farewell: () => Promise<void>;
}

/** Decides when the pod of an ended domain completes, and completes it. */
export class PodEnd {
  readonly #deps: PodEndDependencies;
  #terminating = false;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(deps: PodEndDependencies) {
    this.#deps = deps;
  }

  /** The domain has ended, or there will be none: the pod lives on only to be read. */
  onDomainEnd(): void {
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#check();
  }

  /** The kubelet told the pod to end. */
  onTerminate(): void {
    this.#terminating = true;
    if (this.#since !== undefined) this.#check();
  }

  /** Nobody needs the pod any more. */
  now(): void {
    this.#schedule(FAREWELL_MS);
  }

  #check(): void {
    if (this.#since === undefined) return;
    const passed = Date.now() - this.#since;
    const left = patience(this.#deps.watchers() > 0, this.#terminating) - passed;
    if (left <= 0) this.#schedule(0);
    else this.#timer ??= setInterval(() => this.#check(), 250);
  }

  #schedule(afterMs: number): void {
    if (this.#ending) return;
    this.#ending = true;
    clearInterval(this.#timer);
    setTimeout(() => void this.#end(), afterMs);
  }

  async #end(): Promise<void> {
    const code = exitCodeOf(this.#deps.outcome());
    this.#deps.log.info({ exitCode: code }, 'ending the pod');
    await this.#deps.farewell();
    // Ends PID 1, and this process with it.
    const child = spawn(this.#deps.endPodProgram, [String(code)], { stdio: 'inherit' });
    child.on('error', (err) => this.#deps.log.error({ err }, 'cannot end the pod'));
  }
}

export function patience(watched: boolean, terminating: boolean): number {
  if (terminating) return watched ? WATCHED_TERMINATING_MS : UNWATCHED_TERMINATING_MS;
  return watched ? WATCHED_MS : UNWATCHED_MS;
}
