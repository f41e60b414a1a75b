import { type DutyOptions, GuestDuty } from './guest-duties.ts';

/** A guest whose agent does not set its clock within a minute has other means, or none. */
const WITHIN_MS = 60_000;
const TIMEOUT_SECONDS = 4;

export interface ClockSyncOptions extends DutyOptions {
  ask: (command: string, timeoutSeconds: number, args: object) => Promise<unknown>;
  /** Why the agent cannot be asked now; undefined when it can. */
  obstacle: () => Error | undefined;
}

/** Sets the guest's clock after a time in which its vCPUs stood still. */
export class ClockSync extends GuestDuty {
  readonly #options: ClockSyncOptions;

  constructor(options: ClockSyncOptions) {
    super(options);
    this.#options = options;
  }

  /** The vCPUs are about to run again; recorded before, so that nobody who dies in between loses it. */
  request(): void {
    this.record.note({ clockSyncUntil: new Date(Date.now() + WITHIN_MS).toISOString() });
  }

  /** They run. */
  begin(): void {
    this.wake();
  }

  protected override due(): number | undefined {
    return this.record.record?.clockSyncUntil === undefined ? undefined : 0;
  }

  protected override async act(): Promise<void> {
    const until = Date.parse(this.record.record?.clockSyncUntil ?? '');
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined && Date.now() < until) throw obstacle;
    // Nanoseconds, to the precision of a double, which is less than a microsecond.
    if (Date.now() < until) await this.#options.ask('guest-set-time', TIMEOUT_SECONDS, { time: Date.now() * 1e6 });
    this.giveUp();
  }

  protected override giveUp(): void {
    this.record.note({ clockSyncUntil: undefined });
  }
}
