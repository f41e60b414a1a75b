import { errorMessage, type Logger, Pause } from '@yagura/runtime';
import type { RunRecordFile } from '../domain/run-record.ts';
import { classify } from './failure.ts';

const RETRY_MS = 2_000;
const MAX_WAIT_MS = 60_000;

export interface DutyOptions {
  record: RunRecordFile;
  log: Logger;
}

/**
 * Something that has to be done in the guest at a time of its own. What is to be done stands in the run record, so a
 * launcher that was restarted does it as well; it is tried until it is done or has become pointless.
 */
export abstract class GuestDuty {
  protected readonly record: RunRecordFile;
  protected readonly log: Logger;
  #pause: Pause | undefined;

  constructor({ record, log }: DutyOptions) {
    this.record = record;
    this.log = log;
  }

  /** When to act next, in milliseconds since the epoch; undefined: there is nothing to do. */
  protected abstract due(): number | undefined;
  protected abstract act(): Promise<void>;
  protected abstract giveUp(): void;

  /** The record has changed. */
  protected wake(): void {
    this.#pause?.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const pause = new Pause(signal);
    this.#pause = pause;
    while (!signal.aborted) {
      const due = this.record.record?.end === undefined ? this.due() : undefined;
      if (due === undefined) await pause.wait();
      else if (due > Date.now()) await pause.wait(Math.min(due - Date.now(), MAX_WAIT_MS));
      else await this.#attempt(pause);
    }
  }

  async #attempt(pause: Pause): Promise<void> {
    try {
      await this.act();
    } catch (error) {
      this.log.debug({ error: errorMessage(error), duty: this.constructor.name }, 'not done in the guest yet');
      if (classify(error) === 'unsupported') this.giveUp();
      else await pause.wait(RETRY_MS);
    }
  }
}
