import { type DutyOptions, GuestDuty } from './guest-duties.ts';

/** A guest that has not seen its new CPUs within this time sees them by itself, or never. */
const WITHIN_MS = 60_000;
const TIMEOUT_SECONDS = 4;

export interface OnlineCpusOptions extends DutyOptions {
  ask: (command: string, timeoutSeconds: number, args?: object) => Promise<unknown>;
  /** Why the agent cannot be asked now; undefined when it can. */
  obstacle: () => Error | undefined;
}

/** One entry of what `guest-get-vcpus` answers. */
interface GuestCpu {
  'logical-id': number;
  online: boolean;
}

/** Has the guest use CPUs that were plugged in: many a Linux leaves them off-line until somebody switches them on. */
export class OnlineCpus extends GuestDuty {
  readonly #options: OnlineCpusOptions;

  constructor(options: OnlineCpusOptions) {
    super(options);
    this.#options = options;
  }

  /** The domain has so many CPUs now, or is about to. */
  request(count: number): void {
    this.record.note({ onlineCpus: { count, until: new Date(Date.now() + WITHIN_MS).toISOString() } });
    this.wake();
  }

  protected override due(): number | undefined {
    return this.record.record?.onlineCpus === undefined ? undefined : 0;
  }

  protected override async act(): Promise<void> {
    const wanted = this.record.record?.onlineCpus;
    const { count = 0, until = '' } = wanted ?? {};
    if (Date.now() >= Date.parse(until)) return this.giveUp();
    const obstacle = this.#options.obstacle();
    if (obstacle !== undefined) throw obstacle;
    const { return: cpus } = JSON.parse(String(await this.#options.ask('guest-get-vcpus', TIMEOUT_SECONDS))) as {
      return: GuestCpu[];
    };
    const offline = cpus.filter(({ online }) => !online).map((cpu) => ({ ...cpu, online: true }));
    if (offline.length > 0) await this.#options.ask('guest-set-vcpus', TIMEOUT_SECONDS, { vcpus: offline });
    if (cpus.length < count) throw new Error(`the guest has found ${cpus.length} of ${count} CPUs so far`);
    // More may have been plugged in while the agent answered.
    if (this.record.record?.onlineCpus === wanted) this.giveUp();
  }

  protected override giveUp(): void {
    this.record.note({ onlineCpus: undefined });
  }
}
