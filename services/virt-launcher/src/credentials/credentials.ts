import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type AgentCredential, accessCredentialDirectory, LAUNCHER_DIRECTORIES } from '@yagura/api';
import { type Logger, Pause } from '@yagura/runtime';
import type { AskAgent } from '../agent/exec.ts';
import type { Paths } from '../paths.ts';
import { applyCredentials } from './apply.ts';
import { secretFiles } from './secret-files.ts';
import { fingerprint, wantedCredentials } from './wanted.ts';

/** How the last attempt ended; undefined before the first. */
export interface CredentialsView {
  succeeded: boolean;
  /** What went wrong. */
  message: string;
}

export interface CredentialsDependencies {
  paths: Pick<Paths, 'privateDirectory'>;
  log: Logger;
  ask: AskAgent;
  /** Since when an agent answers; undefined while none does. */
  agentSince: () => Date | undefined;
  onChange: (view: CredentialsView) => void;
}

/** A secret that changes is in the guest this much later at most, once the kubelet shows it. */
const LOOK_MS = 5_000;
const RETRY_MS = 15_000;
/** What somebody changed inside the guest is set right. */
const REPEAT_MS = 300_000;

/** Keeps what the agent is to put into the guest as the mounted secrets say. */
export class Credentials {
  readonly #deps: CredentialsDependencies;
  readonly #pause: Pause;
  readonly #stop = new AbortController();
  #wanted: readonly AgentCredential[] = [];
  #view: CredentialsView | undefined;
  /** What was tried last, in which life of the agent, and when it is to be tried again. */
  #tried: { text: string; agent: number; until: number } | undefined;

  constructor(deps: CredentialsDependencies) {
    this.#deps = deps;
    this.#pause = new Pause(this.#stop.signal);
  }

  get view(): CredentialsView | undefined {
    return this.#view;
  }

  /** These are the credentials, also for a launcher that comes after this one. */
  async keep(credentials: readonly AgentCredential[]): Promise<void> {
    if (credentials.length === 0 && this.#wanted.length === 0) return;
    await writeFile(`${this.#file}.new`, JSON.stringify(credentials), { mode: 0o640 });
    await rename(`${this.#file}.new`, this.#file);
    this.#wanted = credentials;
    this.#pause.wake();
  }

  /** An agent has just answered: it is not kept waiting. */
  wake(): void {
    if (this.#wanted.length > 0) this.#pause.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    const kept = await readFile(this.#file, 'utf8').catch(() => '[]');
    this.#wanted = JSON.parse(kept) as AgentCredential[];
    while (!signal.aborted) {
      await this.#pause.wait(this.#wanted.length === 0 ? undefined : LOOK_MS);
      if (!signal.aborted && this.#wanted.length > 0) await this.look(signal, Date.now());
    }
  }

  /** Compares what is mounted with what was done, and does what is missing. */
  async look(signal: AbortSignal, now: number): Promise<void> {
    const wanted = wantedCredentials(await Promise.all(this.#wanted.map(async (one) => this.#read(one))));
    const text = fingerprint(wanted);
    const since = this.#deps.agentSince()?.getTime();
    if (since === undefined) {
      // A guest that has not come up yet is no failure; one that misses a change is.
      if (this.#tried !== undefined && this.#tried.text !== text) this.#tell(['the guest agent is offline']);
      return;
    }
    const tried = this.#tried;
    if (tried !== undefined && tried.text === text && tried.agent === since && now < tried.until) return;
    const problems = await applyCredentials(this.#deps.ask, wanted, signal);
    if (signal.aborted) return;
    this.#tried = { text, agent: since, until: now + (problems.length === 0 ? REPEAT_MS : RETRY_MS) };
    this.#tell(problems);
  }

  get #file(): string {
    return join(this.#deps.paths.privateDirectory, 'access-credentials.json');
  }

  async #read(credential: AgentCredential) {
    const inPrivate = relative(LAUNCHER_DIRECTORIES.private, accessCredentialDirectory(credential.index));
    return { credential, files: await secretFiles(join(this.#deps.paths.privateDirectory, inPrivate)) };
  }

  #tell(problems: readonly string[]): void {
    const next = { succeeded: problems.length === 0, message: problems.join('; ') };
    const before = this.#view;
    if (before?.succeeded === next.succeeded && before.message === next.message) return;
    this.#view = next;
    if (next.succeeded) this.#deps.log.info('the access credentials are in the guest');
    else this.#deps.log.warn({ problems }, 'the access credentials are not all in the guest');
    this.#deps.onChange(next);
  }
}
