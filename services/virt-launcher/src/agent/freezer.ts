import { RpcError, Status } from '@yagura/contracts';
import { errorMessage } from '@yagura/runtime';
import { classify } from './failure.ts';
import { type DutyOptions, GuestDuty } from './guest-duties.ts';
import type { AgentPoller } from './poller.ts';

/** For the guest to write out what it holds. */
const FREEZE_SECONDS = 40;
const THAW_SECONDS = 40;

export interface FreezerOptions extends DutyOptions {
  ask: (command: string, timeoutSeconds: number) => Promise<unknown>;
  agent: Pick<AgentPoller, 'hold' | 'noteFreeze'>;
  /** Why the agent cannot be asked now; undefined when it can. */
  obstacle: () => RpcError | undefined;
}

/** Freezes the guest's file systems, and sees to it that they do not stay frozen for longer than was asked for. */
export class Freezer extends GuestDuty {
  readonly #options: FreezerOptions;

  constructor(options: FreezerOptions) {
    super(options);
    this.#options = options;
  }

  /** `unfreezeMs`: until they are thawed again; undefined: only on request. */
  async freeze(unfreezeMs: number | undefined): Promise<void> {
    this.#requireAgent();
    // Before it happens: whoever dies in between leaves a thaw too many behind, and never one too few.
    this.#thawIn(Math.max(FREEZE_SECONDS * 1000, unfreezeMs ?? 0));
    const release = this.#options.agent.hold();
    try {
      await this.#ask('guest-fsfreeze-freeze', FREEZE_SECONDS);
      this.#thawIn(unfreezeMs);
      this.#options.agent.noteFreeze('frozen');
    } catch (error) {
      // An agent that did not answer may have frozen some of them all the same.
      this.#thawIn(0);
      throw error;
    } finally {
      release();
    }
  }

  async unfreeze(): Promise<void> {
    await this.act();
  }

  protected override due(): number | undefined {
    const { thawAt } = this.record.record ?? {};
    return thawAt === undefined ? undefined : Date.parse(thawAt);
  }

  protected override async act(): Promise<void> {
    this.#requireAgent();
    const overdue = this.due();
    const release = this.#options.agent.hold();
    try {
      await this.#ask('guest-fsfreeze-thaw', THAW_SECONDS);
      this.#thawIn(undefined);
      this.#options.agent.noteFreeze('thawed');
    } finally {
      release();
    }
    if (overdue !== undefined && overdue <= Date.now())
      this.log.info({}, 'the file systems of the guest are thawed again');
  }

  protected override giveUp(): void {
    this.#thawIn(undefined);
  }

  #thawIn(milliseconds: number | undefined): void {
    const thawAt = milliseconds === undefined ? undefined : new Date(Date.now() + milliseconds).toISOString();
    this.record.note({ thawAt });
    this.wake();
  }

  #requireAgent(): void {
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined) throw obstacle;
  }

  async #ask(command: string, timeoutSeconds: number): Promise<void> {
    try {
      await this.#options.ask(command, timeoutSeconds);
    } catch (error) {
      const kind = classify(error);
      if (kind === 'mute')
        throw new RpcError(Status.DEADLINE_EXCEEDED, errorMessage(error), { reason: 'AGENT_MUTE' }, { cause: error });
      throw error;
    }
  }
}
