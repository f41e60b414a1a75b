import { type CloseReason, Connection, type DomainEvent } from '@yagura/libvirt';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';

/** How the launcher stands with the libvirt daemon. */
export interface LinkStatus {
  connected: boolean;
  /** Since when it is (not) connected. */
  since: Date;
  lastError: string | undefined;
  /** Times the daemon was lost since the launcher started. */
  losses: number;
  version: string | undefined;
}

export interface LinkListener {
  /** A connection is there: the world has to be read anew. */
  onConnected(): void;
  onLost(reason: string): void;
  onEvent(event: DomainEvent): void;
  /** There was no daemon to talk to for a long time. */
  onHung(): void;
}

/** Thrown by a call while there is no connection. */
export class NotConnectedError extends Error {
  override name = 'NotConnectedError';
}

const EVENTS = [
  'lifecycle',
  'agent-lifecycle',
  'io-error',
  'reboot',
  'watchdog',
  'balloon-change',
  'device-added',
  'memory-device-size-change',
  'device-removed',
  'device-removal-failed',
  'job-completed',
  'pmwakeup',
  'pmsuspend',
  'memory-failure',
  'control-error',
] as const;

/** A daemon that misses two probes of two seconds is taken for hung: it is named within ten seconds. */
const KEEP_ALIVE = { intervalSeconds: 2, count: 2 };
const OPEN_TIMEOUT_MS = 3_000;
const CALL_TIMEOUT_MS = 10_000;
const RETRY_MS = 100;
/** A daemon that does not answer for so long will not come back by itself. */
const HUNG_MS = 20_000;

const LOSS: Record<string, string> = {
  eof: 'the libvirt daemon ended',
  keepalive: 'the libvirt daemon does not answer',
  error: 'the connection to the libvirt daemon broke',
};

/** One connection to the daemon, opened again for as long as the launcher runs. */
export class LibvirtLink {
  readonly #uri: string;
  readonly #log: Logger;
  readonly #listener: LinkListener;
  #connection: Connection | undefined;
  #waiting: (() => void)[] = [];
  #hungAt = 0;
  #status: LinkStatus = { connected: false, since: new Date(), lastError: undefined, losses: 0, version: undefined };

  constructor(uri: string, log: Logger, listener: LinkListener) {
    this.#uri = uri;
    this.#log = log;
    this.#listener = listener;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** The live connection. Throws NotConnectedError. */
  get connection(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    throw new NotConnectedError(this.#status.lastError ?? 'the libvirt daemon does not answer yet');
  }

  /** Waits for a connection; throws NotConnectedError after `timeoutMs`. */
  async whenConnected(timeoutMs: number): Promise<Connection> {
    if (this.#connection === undefined) {
      let timer: NodeJS.Timeout | undefined;
      const connected = new Promise<void>((resolve) => this.#waiting.push(resolve));
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([connected, timeout]);
      clearTimeout(timer);
    }
    return this.connection;
  }

  /** Keeps a connection until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#serve(signal);
      } catch (error) {
        this.#noteFailure(errorMessage(error));
        if (Date.now() - Math.max(this.#status.since.getTime(), this.#hungAt) > HUNG_MS) {
          this.#hungAt = Date.now();
          this.#listener.onHung();
        }
        await sleep(RETRY_MS, signal);
      }
    }
  }

  /** Ends the connection, as after a call that the daemon never answered; run() opens the next. */
  async drop(): Promise<void> {
    await this.#connection?.close();
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const connection = await Connection.open(this.#uri, {
      timeoutMs: OPEN_TIMEOUT_MS,
      callTimeoutMs: CALL_TIMEOUT_MS,
      keepAlive: KEEP_ALIVE,
    });
    const stop = () => void connection.close();
    try {
      const ended = new Promise<CloseReason>((resolve) => connection.onClose(resolve));
      await connection.subscribe(EVENTS, (event) => this.#listener.onEvent(event), { timeoutMs: OPEN_TIMEOUT_MS });
      const version = versionText(await connection.getLibVersion({ timeoutMs: OPEN_TIMEOUT_MS }));
      signal.addEventListener('abort', stop, { once: true });
      this.#noteConnected(connection, version);
      this.#noteLost(await ended);
    } finally {
      signal.removeEventListener('abort', stop);
      this.#connection = undefined;
      await connection.close();
    }
  }

  #noteConnected(connection: Connection, version: string): void {
    this.#connection = connection;
    this.#status = { ...this.#status, connected: true, since: new Date(), lastError: undefined, version };
    this.#log.info({ version, losses: this.#status.losses }, 'connected to libvirt');
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#listener.onConnected();
  }

  #noteLost(reason: CloseReason): void {
    this.#connection = undefined;
    const lastError = LOSS[reason] ?? `the connection to the libvirt daemon was closed (${reason})`;
    this.#status = { ...this.#status, connected: false, since: new Date(), lastError, losses: this.#status.losses + 1 };
    this.#log.warn({ reason }, 'lost libvirt');
    this.#listener.onLost(lastError);
  }

  #noteFailure(lastError: string): void {
    if (this.#status.lastError !== lastError) this.#log.info({ error: lastError }, 'libvirt is not there');
    this.#status = { ...this.#status, lastError };
  }
}

/** libvirt's number 9001002 is version 9.1.2. */
export function versionText(version: number): string {
  return [Math.floor(version / 1_000_000), Math.floor(version / 1000) % 1000, version % 1000].join('.');
}
