import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { encodeLauncherEnd, type LauncherEnd, launcherExitCode } from '@yagura/api';
import { type Logger, sleep } from '@yagura/runtime';

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
/** For the last calls to end and the DHCP server to stop. */
const FAREWELL_TIMEOUT_MS = 1_000;

export interface PodEndDependencies {
  endPodProgram: string;
  log: Logger;
  lastWords: () => LauncherEnd;
  /** The container's termination message, which the kubelet shows in the pod's status. */
  terminationMessage: string;
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
    // Already now: the kubelet may kill the pod before it ends by itself.
    void this.#leaveWord();
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
    const code = launcherExitCode(this.#deps.lastWords().outcome);
    this.#deps.log.info({ exitCode: code }, 'ending the pod');
    await this.#leaveWord();
    await this.#farewell();
    // Ends PID 1, and this process with it.
    const child = spawn(this.#deps.endPodProgram, [String(code)], { stdio: 'inherit' });
    child.on('error', (err) => this.#deps.log.error({ err }, 'cannot end the pod'));
  }

  /** Nothing that is nice to have done may keep the pod from ending. */
  async #farewell(): Promise<void> {
    const done = this.#deps.farewell().catch((err: unknown) => this.#deps.log.warn({ err }, 'no orderly farewell'));
    await Promise.race([done, sleep(FAREWELL_TIMEOUT_MS)]);
  }

  /** In place: the file is a mount. Nobody who was not there knows more of the end than these words. */
  async #leaveWord(): Promise<void> {
    const { terminationMessage, lastWords, log } = this.#deps;
    await writeFile(terminationMessage, encodeLauncherEnd(lastWords())).catch((err: unknown) =>
      log.warn({ err }, 'cannot leave word of how the domain ended'),
    );
  }
}

export function patience(watched: boolean, terminating: boolean): number {
  if (terminating) return watched ? WATCHED_TERMINATING_MS : UNWATCHED_TERMINATING_MS;
  return watched ? WATCHED_MS : UNWATCHED_MS;
}
