import { type Clock, delay, systemClock } from './clock.ts';
import { errorText, isAlreadyExists, isConflict, isNotFound } from './errors.ts';
import { linkedAbort } from './linked-abort.ts';
import { type Logger, silentLogger } from './logger.ts';
import { microTime } from './micro-time.ts';
import type { KubeObject } from './objects.ts';

export interface LeaseSpec {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}
/** Reads and writes one Lease; `update` must fail with a conflict when the version moved on. */
export interface LeaseAccess {
  get(signal?: AbortSignal): Promise<Lease>;
  create(spec: LeaseSpec, signal?: AbortSignal): Promise<Lease>;
  update(lease: Lease, signal?: AbortSignal): Promise<Lease>;
}

export interface LeaderElectorOptions {
  identity: string;
  leaseDurationMs?: number;
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
  clock?: Clock;
  random?: () => number;
  log?: Logger;
}

/** One leader at a time by a Lease. Time is measured from when *we* last saw the lease change, never by the clock of another machine. */
export class LeaderElector {
  readonly #lease: LeaseAccess;
  readonly #options: Required<LeaderElectorOptions>;
  #known: Lease | undefined;
  #knownAt = 0;
  #leading = false;
  /** The last write of ours was answered, so nobody has written since without our noticing. */
  #certain = false;

  constructor(lease: LeaseAccess, options: LeaderElectorOptions) {
    this.#lease = lease;
    this.#options = {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      clock: systemClock,
      random: Math.random,
      log: silentLogger,
      ...options,
    };
  }

  get isLeader(): boolean {
    return this.#leading;
  }

  /** Waits to lead, then runs `lead` with a signal that aborts when leadership is lost. Resolves `lost` or `stopped`; the caller of a lost election should exit. */
  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<'lost' | 'stopped'> {
    const { clock, retryPeriodMs, random } = this.#options;
    while (!(await this.#tryAcquire(signal))) {
      if (!(await delay(clock, retryPeriodMs * (1 + random() * 0.2), signal))) return 'stopped';
    }
    this.#leading = true;
    const leadership = linkedAbort(signal);
    const leading = leadership.signal;
    const work = lead(leading).finally(() => leadership.abort());
    work.catch(() => {});
    const outcome = await this.#renewUntilLost(leading, signal);
    this.#leading = false;
    leadership.abort();
    leadership.release();
    try {
      await work;
    } finally {
      if (outcome === 'stopped') await this.#release();
    }
    return outcome;
  }

  async #renewUntilLost(leading: AbortSignal, signal: AbortSignal): Promise<'lost' | 'stopped'> {
    const { clock, retryPeriodMs, renewDeadlineMs, log } = this.#options;
    let renewedAt = this.#knownAt;
    while (await delay(clock, retryPeriodMs, leading)) {
      if (await this.#tryAcquire(leading, Math.max(1, renewDeadlineMs - (clock.monotonic() - renewedAt)))) {
        renewedAt = this.#knownAt;
      } else if (leading.aborted) {
        break;
      } else if (clock.monotonic() - renewedAt >= renewDeadlineMs || this.#heldByAnother()) {
        log.error({ identity: this.#options.identity }, 'leadership lost');
        return 'lost';
      }
    }
    return signal.aborted ? 'stopped' : 'lost';
  }

  #heldByAnother(): boolean {
    const holder = this.#known?.spec?.holderIdentity;
    return holder !== undefined && holder !== '' && holder !== this.#options.identity;
  }

  /** One attempt to get or keep the lease. `knownAt` of a success is the time *before* the write, so we never believe longer than others do. */
  async #tryAcquire(signal: AbortSignal, timeoutMs = this.#options.renewDeadlineMs): Promise<boolean> {
    const { clock, identity, leaseDurationMs, log } = this.#options;
    const attempt = linkedAbort(signal);
    const cancel = clock.after(timeoutMs, () => attempt.abort(new Error('the lease request took too long')));
    const linked = attempt.signal;
    const startedAt = clock.monotonic();
    try {
      const held = this.#leading && this.#certain ? this.#known : undefined;
      this.#certain = false;
      if (held) {
        const spec = this.#spec(held.spec?.acquireTime ?? '', microTime(clock.now()), held.spec?.leaseTransitions ?? 0);
        this.#taken(await this.#lease.update({ ...held, spec }, linked), startedAt);
        return true;
      }
      const found = await this.#lease.get(linked).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      const now = microTime(clock.now());
      if (!found) {
        this.#taken(await this.#lease.create(this.#spec(now, now, 0), linked), startedAt);
        return true;
      }
      if (found.metadata?.resourceVersion !== this.#known?.metadata?.resourceVersion)
        this.#remember(found, clock.monotonic());
      const holder = found.spec?.holderIdentity ?? '';
      const mine = holder === identity;
      if (!mine && holder !== '' && clock.monotonic() - this.#knownAt < this.#theirDuration(found, leaseDurationMs))
        return false;
      const transitions = (found.spec?.leaseTransitions ?? 0) + (mine ? 0 : 1);
      const spec = this.#spec(mine ? (found.spec?.acquireTime ?? now) : now, now, transitions);
      this.#taken(await this.#lease.update({ ...found, spec }, linked), startedAt);
      return true;
    } catch (error) {
      if (!signal.aborted && !isConflict(error) && !isAlreadyExists(error))
        log.warn({ error: errorText(error) }, 'lease not renewed');
      return false;
    } finally {
      cancel();
      attempt.release();
    }
  }

  #theirDuration(lease: Lease, fallbackMs: number): number {
    const seconds = lease.spec?.leaseDurationSeconds;
    return seconds ? seconds * 1000 : fallbackMs;
  }

  #spec(acquireTime: string, renewTime: string, leaseTransitions: number): LeaseSpec {
    const leaseDurationSeconds = Math.ceil(this.#options.leaseDurationMs / 1000);
    return { holderIdentity: this.#options.identity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions };
  }

  #taken(lease: Lease, at: number): void {
    this.#remember(lease, at);
    this.#certain = true;
  }

  #remember(lease: Lease, at: number): void {
    this.#known = lease;
    this.#knownAt = at;
  }

  /** Lets the next one lead without waiting; best effort. */
  async #release(): Promise<void> {
    const lease = this.#known;
    if (!lease || this.#heldByAnother()) return;
    const spec = {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: microTime(this.#options.clock.now()),
    };
    await this.#lease.update({ ...lease, spec }, AbortSignal.timeout(3_000)).catch(() => {});
  }
}
