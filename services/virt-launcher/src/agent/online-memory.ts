import { type DutyOptions, GuestDuty } from './guest-duties.ts';

/** A guest that has not taken its memory within this time takes it by itself, or never. */
const WITHIN_MS = 60_000;
const TIMEOUT_SECONDS = 4;

export interface OnlineMemoryOptions extends DutyOptions {
  ask: (command: string, timeoutSeconds: number, args?: object) => Promise<unknown>;
  /** Why the agent cannot be asked now; undefined when it can. */
  obstacle: () => Error | undefined;
  /** Bytes of memory that the guest has taken by now, those that it was started with included. */
  taken: () => bigint;
}

/** One entry of what `guest-get-memory-blocks` answers. */
interface MemoryBlock {
  'phys-index': number;
  online: boolean;
}

/** Has the guest use memory that was plugged in: some a Linux takes and leaves off-line until somebody switches it on. */
export class OnlineMemory extends GuestDuty {
  readonly #options: OnlineMemoryOptions;

  constructor(options: OnlineMemoryOptions) {
    super(options);
    this.#options = options;
  }

  /** The domain is offered so many bytes of memory now, or is about to be. */
  request(bytes: number): void {
    this.record.note({ onlineMemory: { bytes, until: new Date(Date.now() + WITHIN_MS).toISOString() } });
    this.wake();
  }

  protected override due(): number | undefined {
    return this.record.record?.onlineMemory === undefined ? undefined : 0;
  }

  protected override async act(): Promise<void> {
    const wanted = this.record.record?.onlineMemory;
    const { bytes = 0, until = '' } = wanted ?? {};
    if (Date.now() >= Date.parse(until)) return this.giveUp();
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined) throw obstacle;
    // Asked first: what the guest takes while the agent answers is looked at the next time.
    const isTaken = this.#options.taken() >= bytes;
    const answer = String(await this.#options.ask('guest-get-memory-blocks', TIMEOUT_SECONDS));
    const { return: blocks } = JSON.parse(answer) as { return: MemoryBlock[] };
    const offline = blocks
      .filter(({ online }) => !online)
      .map((block) => ({ 'phys-index': block['phys-index'], online: true }));
    if (offline.length > 0) {
      await this.#options.ask('guest-set-memory-blocks', TIMEOUT_SECONDS, { 'mem-blks': offline });
      throw new Error(`${offline.length} blocks of memory were off-line in the guest`);
    }
    if (!isTaken) throw new Error('the guest has not taken all of its memory so far');
    // More may have been offered while the agent answered.
    if (this.record.record?.onlineMemory === wanted) this.giveUp();
  }

  protected override giveUp(): void {
    this.record.note({ onlineMemory: undefined });
  }
}
