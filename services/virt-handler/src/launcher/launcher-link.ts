import {
  type Connection,
  connectUnix,
  type Domain,
  type DomainEvent,
  type GetGuestInfoResponse,
  GuestAgentChannel,
  Launcher,
  type PingResponse,
  RpcError,
  Status,
} from '@yagura/contracts';
import { type LauncherLink as LinkState, toDate } from '@yagura/layers/launcher';
import { errorMessage, type Logger, Pause, sleep } from '@yagura/runtime';
import { domainFingerprint } from './domain-fingerprint.ts';
import { guestFingerprint, guestPollMs } from './guest-poll.ts';
import { isSocket, waitForSocket } from './socket.ts';

const PING_MS = 3_000;
const RECONNECT_MS = 200;

export type LauncherChange = 'domain' | 'guest' | 'link' | 'launcher-restarted' | 'libvirt-restarted';

export interface LauncherLinkOptions {
  socket: string;
  log: Logger;
  onChange: (change: LauncherChange) => void;
  /** What the launcher tells as having happened, besides any change of the domain. */
  onEvent?: (event: DomainEvent) => void;
  now?: () => number;
}

/** The connection to one launcher for its whole life: what it said last, and how it stands with us. */
export class LauncherLink {
  readonly calls: Connection<typeof Launcher>['calls'];
  domain: Domain | undefined;
  guest: GetGuestInfoResponse | undefined;
  /** When the agent's channel was first seen open, on this process's clock. */
  agentConnectedAt: number | undefined;
  readonly #options: Required<LauncherLinkOptions>;
  readonly #connection: Connection<typeof Launcher>;
  readonly #createdAt: number;
  readonly #stop = new AbortController();
  #ping: PingResponse | undefined;
  #lastAnswer: number | undefined;
  #silentSince: number | undefined;
  #error: string | undefined;
  /** Times the launcher had lost its libvirt daemon when we last saw it connected. */
  #losses: number | undefined;
  readonly #pingPause = new Pause(this.#stop.signal);
  readonly #guestPause = new Pause(this.#stop.signal);

  constructor(options: LauncherLinkOptions) {
    this.#options = { now: Date.now, onEvent: () => {}, ...options };
    this.#createdAt = this.#options.now();
    this.#connection = connectUnix(Launcher, options.socket);
    this.calls = this.#connection.calls;
    void this.#run();
  }

  /** How the launcher stands with us, for the node layer. */
  state(): LinkState {
    return {
      state: this.#silentSince === undefined ? (this.#lastAnswer === undefined ? 'gone' : 'answering') : 'failing',
      lastAnswer: this.#lastAnswer === undefined ? undefined : new Date(this.#lastAnswer),
      error: this.#error,
      version: this.#ping?.version,
      startedAt: toDate(this.#ping?.startedAt),
    };
  }

  /** Milliseconds for which the launcher has not answered; 0 while it does, undefined before its first answer. */
  silentMs(): number | undefined {
    if (this.#silentSince !== undefined) return this.#options.now() - this.#silentSince;
    return this.#lastAnswer === undefined ? undefined : 0;
  }

  /** Milliseconds since we began to ask. */
  ageMs(): number {
    return this.#options.now() - this.#createdAt;
  }

  /** Asks for domain and guest afresh, for a report; what does not answer in time stays as it was. */
  async refresh(timeoutMs: number): Promise<void> {
    await Promise.all([
      this.#answered(this.calls.getDomain({}, { timeoutMs })).then(
        ({ domain }) => this.#takeDomain(domain),
        () => {},
      ),
      this.#answered(this.calls.getGuestInfo({}, { timeoutMs })).then(
        (info) => this.#takeGuest(info),
        () => {},
      ),
    ]);
  }

  /** Takes a domain that a call answered with, without waiting for the stream to bring it. */
  take(domain: Domain | undefined): void {
    this.#takeDomain(domain);
  }

  close(): void {
    this.#stop.abort();
    this.#connection.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    await waitForSocket(this.#options.socket, signal);
    await Promise.all([this.#watchLoop(signal), this.#pingLoop(signal), this.#guestLoop(signal)]);
  }

  /** The stream ends with the launcher, and is opened again for as long as the pod is ours. */
  async #watchLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!(await isSocket(this.#options.socket))) throw new Error('the launcher has no socket');
        for await (const { domain, event } of this.calls.watchDomain({}, { signal })) {
          if (event) {
            this.#options.log.debug({ type: event.type, detail: event.detail }, 'domain event');
            this.#options.onEvent(event);
          }
          this.#heard();
          this.#takeDomain(domain);
          if (event !== undefined) this.#guestPause.wake();
        }
      } catch (error) {
        if (!signal.aborted) this.#unheard(error);
      }
      await sleep(RECONNECT_MS, signal);
    }
  }

  async #pingLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const ping = await this.#answered(this.calls.ping({}, { timeoutMs: PING_MS, signal }));
        const before = toDate(this.#ping?.startedAt);
        const startedAt = toDate(ping.startedAt);
        this.#ping = ping;
        // The stream brings changes; that nothing has changed must be heard as well.
        this.#takeDomain((await this.#answered(this.calls.getDomain({}, { timeoutMs: PING_MS, signal }))).domain);
        if (before !== undefined && startedAt !== undefined && startedAt > before) {
          this.#options.onChange('launcher-restarted');
        }
      } catch (error) {
        if (!signal.aborted) this.#unheard(error);
      }
      await this.#pingPause.wait(this.#silentSince === undefined ? PING_MS : RECONNECT_MS);
    }
  }

  /** The stream tells of the agent's channel, not of what the agent says; that is fetched. */
  async #guestLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.agentConnectedAt === undefined) {
        await this.#guestPause.wait();
        continue;
      }
      const info = await this.#answered(this.calls.getGuestInfo({}, { signal })).catch(() => undefined);
      if (info !== undefined) this.#takeGuest(info);
      await this.#guestPause.wait(guestPollMs(this.guest, this.#options.now() - (this.agentConnectedAt ?? 0)));
    }
  }

  #takeDomain(domain: Domain | undefined): void {
    if (domain === undefined) return;
    const before = this.domain;
    this.domain = domain;
    const connected = domain.guestAgent?.channel === GuestAgentChannel.CONNECTED;
    if (connected && this.agentConnectedAt === undefined) {
      this.agentConnectedAt = this.#options.now();
      this.#guestPause.wake();
    } else if (!connected) this.agentConnectedAt = undefined;
    if (domain.libvirt?.connected) {
      const { losses } = domain.libvirt;
      if (this.#losses !== undefined && losses > this.#losses) this.#options.onChange('libvirt-restarted');
      this.#losses = losses;
    }
    if (domainFingerprint(before) !== domainFingerprint(domain)) this.#options.onChange('domain');
  }

  #takeGuest(info: GetGuestInfoResponse): void {
    const before = guestFingerprint(this.guest);
    this.guest = info;
    if (guestFingerprint(info) !== before) this.#options.onChange('guest');
  }

  async #answered<T>(call: Promise<T>): Promise<T> {
    const answer = await call;
    this.#heard();
    return answer;
  }

  #heard(): void {
    const wasSilent = this.#silentSince !== undefined || this.#lastAnswer === undefined;
    this.#lastAnswer = this.#options.now();
    this.#silentSince = undefined;
    this.#error = undefined;
    if (wasSilent) this.#options.onChange('link');
  }

  #unheard(error: unknown): void {
    this.#error = describe(error);
    if (this.#silentSince !== undefined) return;
    this.#silentSince = this.#options.now();
    this.#pingPause.wake();
    this.#options.onChange('link');
  }
}

/** A failed call in few words: the path of the socket and the causes of the transport say nothing more. */
function describe(error: unknown): string {
  if (!(error instanceof RpcError)) return errorMessage(error);
  return error.code === Status.DEADLINE_EXCEEDED ? 'no answer in time' : error.message;
}
