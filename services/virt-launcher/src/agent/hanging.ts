import { LibvirtTimeoutError } from '@yagura/libvirt';
import type { RunRecordFile } from '../domain/run-record.ts';
import { classify } from './failure.ts';

/** Sends one question to the agent. */
type Send = () => Promise<string | null>;

/** An agent that answered so short a time before a question was alive when it came. */
const ALIVE_MS = 500;

/**
 * Commands that wait for something in the guest: storage, a home on a network, a program. All others are answered out of
 * the agent's or the kernel's memory, so that an agent that does not answer them was not there to hear them.
 */
const MAY_HANG: ReadonlySet<string> = new Set([
  'guest-get-fsinfo',
  'guest-get-users',
  'guest-get-disks',
  'guest-fsfreeze-freeze',
  'guest-fsfreeze-thaw',
  'guest-fstrim',
  'guest-exec',
  'guest-file-open',
  'guest-file-read',
  'guest-set-user-password',
  'guest-set-vcpus',
  'guest-ssh-get-authorized-keys',
  'guest-ssh-add-authorized-keys',
  'guest-ssh-remove-authorized-keys',
]);

/**
 * Which command the agent does not come back from. It does one thing at a time, so the first one that stays without an
 * answer is it, and whatever is asked later only waits. That the agent was alive when it was asked is made sure of by a
 * ping before it: an agent that was stopped before is silent, and hangs in nothing.
 */
export class HangingCommand {
  readonly #record: RunRecordFile;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /** What hangs is kept in the record: a launcher that is restarted cannot find it out. */
  constructor(record: RunRecordFile) {
    this.#record = record;
  }

  get command(): { command: string; since: Date } | undefined {
    const hanging = this.#record.record?.agentHangs;
    return hanging && { command: hanging.command, since: new Date(hanging.since) };
  }

  /** Asks, and draws the conclusions. */
  async ask(command: string, send: Send, ping: Send): Promise<string | null> {
    if (!MAY_HANG.has(command)) return this.#listen(send);
    if (Date.now() - this.#answeredAt > ALIVE_MS) {
      // An agent without the command is alive as well.
      await this.#listen(ping).catch((error: unknown) => {
        if (!answered(error)) throw error;
      });
    }
    const since = new Date();
    try {
      return await this.#listen(send);
    } catch (error) {
      if (wasHeard(error) && this.command === undefined)
        this.#record.note({ agentHangs: { command, since: since.toISOString() } });
      throw error;
    }
  }

  /** Another agent, or none: the one that hung has ended. */
  forget(): void {
    if (this.#record.record?.agentHangs !== undefined) this.#record.note({ agentHangs: undefined });
  }

  async #listen(send: Send): Promise<string | null> {
    try {
      const answer = await send();
      this.#noteAnswer();
      return answer;
    } catch (error) {
      if (answered(error)) this.#noteAnswer();
      throw error;
    }
  }

  #noteAnswer(): void {
    this.#answeredAt = Date.now();
    this.forget();
  }
}

/** The question has reached the agent, as far as anybody knows, and it has not answered. */
function wasHeard(error: unknown): boolean {
  return classify(error) === 'mute' && !(error instanceof LibvirtTimeoutError && !error.started);
}

/** The agent has said no, so it has answered. */
function answered(error: unknown): boolean {
  return ['refused', 'unsupported'].includes(classify(error));
}
