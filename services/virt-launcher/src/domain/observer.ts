import type { Domain, DomainEvent, StateAndReason } from '@yagura/libvirt';
import { isConnectionLost, isLibvirtError } from '@yagura/libvirt';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import { type DomainAccess, ownerOf } from '../libvirt/domain-access.ts';
import type { LibvirtLink, LinkListener } from '../libvirt/link.ts';
import { NotConnectedError } from '../libvirt/link.ts';
import type { Paths } from '../paths.ts';
import { type ProcessIdentity, processOf } from '../process/pids.ts';
import { CrashWatch, isPanic } from './crash-watch.ts';
import { detailOf } from './event-detail.ts';
import { gatherEvidence } from './evidence.ts';
import { imageSizes } from './image-sizes.ts';
import { IoErrors } from './io-errors.ts';
import { LiveXml } from './live-xml.ts';
import { judgeEnd } from './outcome.ts';
import type { End, RunRecordFile } from './run-record.ts';
import type { AgentView, IoErrorView, Observed, ViewEvent } from './view.ts';

/** Between two looks that no event asked for; with it a view is never older than what counts as fresh. */
const PERIOD_MS = 4_000;
const STATE_TIMEOUT_MS = 3_000;

export interface ObserverDependencies {
  link: () => LibvirtLink;
  access: DomainAccess;
  record: RunRecordFile;
  paths: Paths;
  log: Logger;
  /** Something in the view may have changed; `event` says why the observer looked. */
  onLook: (event: ViewEvent | undefined) => void;
  onAgentChannel: (connected: boolean) => void;
  /** The machine was reset, by its guest or from outside. */
  onReset: () => void;
  onEnd: () => void;
  /** The kubelet has told the pod to end. */
  podTerminating: () => boolean;
  /** QEMU does not answer libvirt. */
  monitorSilent: () => boolean;
}

/**
 * Knows the domain by looking: at each event of libvirt, at each new connection, and every few seconds. What an event
 * says is only a reason to look; the state is always read.
 */
export class DomainObserver implements Omit<LinkListener, 'onHung'> {
  readonly #deps: ObserverDependencies;
  #observed: Observed = { kind: 'unknown' };
  #stateSince: Date | undefined;
  readonly #xml: LiveXml;
  #channel: Pick<AgentView, 'channel' | 'since'> = { channel: 'unknown', since: undefined };
  readonly #ioErrors = new IoErrors();
  readonly #crash = new CrashWatch();
  #imageSizes: ReadonlyMap<string, number> = new Map();
  #looking: Promise<void> | undefined;
  /** Events that came while a look was under way: it may have missed what they tell of. */
  #waiting: ViewEvent[] = [];
  #again = false;

  constructor(deps: ObserverDependencies) {
    this.#deps = deps;
    this.#xml = new LiveXml(deps.log, deps.monitorSilent);
  }

  get observed(): Observed {
    return this.#observed;
  }

  get stateSince(): Date | undefined {
    return this.#stateSince;
  }

  get channel(): Pick<AgentView, 'channel' | 'since'> {
    return this.#channel;
  }

  get imageSizes(): ReadonlyMap<string, number> {
    return this.#imageSizes;
  }

  get ioErrors(): readonly IoErrorView[] {
    return this.#ioErrors.all;
  }

  /** Looks every few seconds until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(PERIOD_MS, signal);
      if (!signal.aborted) await this.look();
    }
  }

  onConnected(): void {
    this.#crash.noteConnection();
    this.#xml.invalidate();
    void this.look({ time: new Date(), type: 'daemon-connected', detail: '' });
  }

  onLost(reason: string): void {
    this.#deps.access.forget();
    this.#crash.noteConnection();
    this.#deps.onLook({ time: new Date(), type: 'daemon-lost', detail: reason });
  }

  onEvent(event: DomainEvent): void {
    if (event.domain.name !== this.#deps.record.record?.name) return;
    this.#ioErrors.noteEvent(event);
    this.#xml.noteEvent(event);
    this.#crash.noteEvent(event);
    if (isPanic(event)) this.#deps.record.note({ panickedAt: new Date().toISOString() });
    if (event.type === 'reboot') {
      this.#deps.record.note({ rebootedAt: new Date().toISOString() });
      this.#deps.onReset();
    }
    if (event.type === 'agent-lifecycle') this.#noteChannel(event.state === 'connected');
    void this.look({ time: new Date(), type: event.type, detail: detailOf(event) });
  }

  /** A device was changed, perhaps in a way that libvirt has no event for, as a link that goes down. */
  async onDevicesChanged(): Promise<void> {
    this.#xml.invalidate();
    return this.look({ time: new Date(), type: 'devices-changed', detail: '' });
  }

  /** Reads the domain. A call that comes while a look is under way waits for the next one. */
  async look(event?: ViewEvent): Promise<void> {
    if (event !== undefined) this.#waiting.push(event);
    if (this.#looking !== undefined) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#lookUntilQuiet().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookUntilQuiet(): Promise<void> {
    do {
      this.#again = false;
      const events = this.#waiting.splice(0);
      await this.#lookOnce();
      for (const event of events) this.#deps.onLook(event);
      if (events.length === 0) this.#deps.onLook(undefined);
    } while (this.#again);
  }

  async #lookOnce(): Promise<void> {
    const name = this.#deps.record.record?.name ?? (await this.#adopt());
    if (name === undefined) return;
    try {
      const domain = await this.#deps.access.find(name);
      if (domain === undefined) await this.#seeAbsent();
      else await this.#seeDomain(domain);
    } catch (error) {
      if (error instanceof NotConnectedError || isConnectionLost(error)) return;
      if (isLibvirtError(error, 'NO_DOMAIN')) {
        this.#deps.access.forget();
        await this.#seeAbsent();
      } else {
        this.#deps.log.warn({ error: errorMessage(error) }, 'cannot read the domain');
      }
    }
  }

  /** A domain of ours without a record, as when the record's file was lost. */
  async #adopt(): Promise<string | undefined> {
    try {
      for (const domain of await this.#deps.link().connection.listAllDomains()) {
        const { name } = domain;
        const owner = await ownerOf(domain);
        domain.close();
        if (owner === undefined) continue;
        this.#deps.record.begin(owner, name);
        return name;
      }
      this.#observed = { kind: 'absent', at: new Date() };
    } catch (error) {
      if (!(error instanceof NotConnectedError))
        this.#deps.log.debug({ error: errorMessage(error) }, 'cannot list domains');
    }
    return undefined;
  }

  async #seeAbsent(): Promise<void> {
    this.#observed = { kind: 'absent', at: new Date() };
    if (this.#deps.record.record?.startedAt !== undefined) await this.#recordEnd('gone', false);
  }

  async #seeDomain(domain: Domain): Promise<void> {
    const state = await domain.getState({ timeoutMs: STATE_TIMEOUT_MS });
    const active = isActive(state);
    const { paths, record } = this.#deps;
    const qemu = active ? await processOf(`${paths.qemuRun}/${domain.name}.pid`, 'qemu-system-x86_64') : undefined;
    this.#noteState(state, qemu);
    const daemon = identityText(await processOf(paths.libvirtPidFile, 'libvirtd'));
    if (active) {
      this.#crash.noteActive();
      record.note({ startedAt: record.record?.startedAt ?? new Date().toISOString(), ...(daemon ? { daemon } : {}) });
    } else {
      this.#noteChannel(false);
      const toCome = state.reason === 'crashed' && this.#crash.isToCome();
      if (record.record?.startedAt !== undefined && !toCome)
        await this.#recordEnd(state.reason, record.record.daemon === daemon);
    }
    const live = await this.#xml.refresh(domain, active);
    if (active && live?.agentChannel !== undefined) this.#noteChannel(live.agentChannel === 'connected');
    if (live !== undefined) this.#imageSizes = imageSizes(live.disks, [paths.ephemeralDisks, paths.privateDirectory]);
    this.#noteState(state, qemu);
    await this.#ioErrors.recall(domain, state, this.#xml.live);
  }

  #noteState(state: StateAndReason, qemu: ProcessIdentity | undefined): void {
    const before = this.#observed.kind === 'defined' ? this.#observed.state : undefined;
    // Whoever pauses it next says whether somebody has asked for that.
    if (state.state === 'running' && before?.state !== 'running') this.#deps.record.note({ pauseRequested: false });
    if (before?.state !== state.state || before.reason !== state.reason) this.#noteSince(state, before === undefined);
    this.#observed = { kind: 'defined', at: new Date(), state, live: this.#xml.live, qemuPid: qemu?.pid };
  }

  /** @param isFirst this launcher has not seen the domain before; the one before it may have, in the same state */
  #noteSince({ state, reason }: StateAndReason, isFirst: boolean): void {
    const { record } = this.#deps;
    const kept = isFirst ? record.record?.state : undefined;
    const since = kept?.state === state && kept.reason === reason ? kept.since : new Date().toISOString();
    record.note({ state: { state, reason, since } });
    this.#stateSince = new Date(since);
  }

  #noteChannel(connected: boolean): void {
    if (connected) this.#deps.record.note({ agentSeen: true });
    const seen = this.#deps.record.record?.agentSeen === true;
    const channel = connected ? 'connected' : seen ? 'disconnected' : 'never-connected';
    if (channel !== this.#channel.channel) this.#channel = { channel, since: new Date() };
    this.#deps.onAgentChannel(connected);
  }

  /** QEMU is known to be gone, and libvirt is not there to say so. */
  async conclude(reason: string): Promise<void> {
    await this.#recordEnd(reason, true);
    this.#deps.onLook(undefined);
  }

  async #recordEnd(reason: string, observed: boolean): Promise<void> {
    const { record, paths, log } = this.#deps;
    const run = record.record;
    if (run === undefined || run.end !== undefined) return;
    const evidence = await gatherEvidence(paths.qemuLog, run.name);
    const end: End = {
      time: new Date().toISOString(),
      ...judgeEnd({ reason, observed, heardAll: this.#crash.heardAll }, run, evidence),
      ...(this.#deps.podTerminating() ? { podTerminating: true } : {}),
    };
    record.note({ end });
    log.info({ outcome: end.outcome, message: end.message, reason, observed }, 'the domain ended');
    this.#deps.onEnd();
  }
}

/** Whether QEMU runs in this state. */
export function isActive({ state }: StateAndReason): boolean {
  return state !== 'shutoff' && state !== 'nostate' && state !== 'crashed';
}

function identityText(process: ProcessIdentity | undefined): string | undefined {
  return process && `${process.pid}@${process.startTicks}`;
}
