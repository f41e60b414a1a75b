import type { Logger } from '@yagura/runtime';
import { AgentPoller } from './agent/poller.ts';
import { DhcpManager } from './dhcp/manager.ts';
import { lastWords } from './domain/last-words.ts';
import { MonitorProbe } from './domain/monitor-probe.ts';
import { Credentials } from './credentials/credentials.ts';
import type { Lease } from './dhcp/lease.ts';
import { DomainObserver, isActive } from './domain/observer.ts';
import { PodEnd } from './domain/pod-end.ts';
import { RunRecordFile } from './domain/run-record.ts';
import { StatsReader } from './domain/stats.ts';
import { DomainStopper } from './domain/stop.ts';
import { type SyncRequest, syncDomain } from './domain/sync.ts';
import { terminate } from './domain/terminator.ts';
import type { DomainView, ViewEvent } from './domain/view.ts';
import { WatchHub } from './domain/watch-hub.ts';
import { DomainAccess } from './libvirt/domain-access.ts';
import { type InterfaceProblem, type InterfaceRequest, syncInterfaces } from './domain/sync-interfaces.ts';
import { LibvirtLink } from './libvirt/link.ts';
import { Mutex } from './process/mutex.ts';
import type { Settings } from './settings.ts';

/** A watcher hears at least this often that the launcher still looks; just under the observer's period. */
const HEARTBEAT_MS = 3_500;

/** The parts of a launcher, wired to each other. It holds no state of its own. */
export class Launcher {
  readonly hub = new WatchHub<DomainView, ViewEvent>();
  readonly record: RunRecordFile;
  readonly link: LibvirtLink;
  readonly access: DomainAccess;
  readonly observer: DomainObserver;
  readonly agent: AgentPoller;
  readonly monitor: MonitorProbe;
  readonly stats: StatsReader;
  readonly stopper: DomainStopper;
  readonly dhcp: DhcpManager;
  readonly podEnd: PodEnd;
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #syncing = new Mutex();
  #terminating = false;
  #published = 0;

  constructor(settings: Settings, log: Logger, farewell: () => Promise<void>) {
    const { paths } = settings;
    this.#settings = settings;
    this.#log = log;
    this.record = new RunRecordFile(paths.runRecord);
    this.link = new LibvirtLink(settings.libvirtUri, log, {
      onConnected: () => this.#onConnected(),
      onLost: (reason) => this.#onLost(reason),
      onEvent: (event) => this.observer.onEvent(event),
      onHung: () => void this.stopper.killDaemon(),
    });
    this.access = new DomainAccess(this.link);
    this.agent = new AgentPoller(
      async (command, timeoutSeconds, signal) => this.askAgent(command, timeoutSeconds, signal),
      log,
      (type, detail) => this.#publish({ time: new Date(), type, detail }),
    );
    this.stats = new StatsReader(this.link, () => this.monitor);
    this.monitor = new MonitorProbe(
      {
        ask: async (timeoutMs) => this.stats.ask(this.name, ['balloon', 'block'], timeoutMs),
        domain: async () => (this.active ? this.access.find(this.name) : undefined),
      },
      (type, detail) => this.#publish({ time: new Date(), type, detail }),
    );
    this.podEnd = new PodEnd({
      endPodProgram: paths.endPod,
      log,
      lastWords: () => lastWords(this.record.record, this.#terminating),
      terminationMessage: paths.terminationMessage,
      watchers: () => this.hub.watchers,
      farewell,
    });
    this.observer = new DomainObserver({
      link: () => this.link,
      access: this.access,
      record: this.record,
      paths,
      log,
      onLook: (event) => this.#publish(event),
      onAgentChannel: (connected) => (connected ? this.agent.start() : this.agent.stop()),
      onEnd: () => this.podEnd.onDomainEnd(),
      podTerminating: () => this.#terminating,
      monitorSilent: () => this.monitor.silent,
    });
    this.stopper = new DomainStopper({
      link: this.link,
      access: this.access,
      record: this.record,
      paths,
      log,
      agentAnswers: () => this.agent.answering,
      look: async () => this.observer.look(),
      conclude: async () => this.observer.conclude('destroyed'),
    });
    this.dhcp = new DhcpManager(paths.dhcpConfig, log, () => this.agent.expectAddress());
  }

  get name(): string {
    return this.record.record?.name ?? '';
  }

  /** Whether QEMU ran when it was last looked at. */
  get active(): boolean {
    const { observed } = this.observer;
    return observed.kind === 'defined' && isActive(observed.state);
  }

  get view(): DomainView {
    return {
      observed: this.observer.observed,
      stateSince: this.observer.stateSince,
      agent: { ...this.observer.channel, ...this.agent.pulse },
      monitor: this.monitor.view,
      record: this.record.record,
      ioErrors: this.observer.ioErrors,
      link: this.link.status,
    };
  }

  /** Works until the signal is aborted; SIGTERM is not that, it is `terminate`. */
  async run(signal: AbortSignal): Promise<void> {
    await this.dhcp.restore();
    if (this.record.record?.end !== undefined) this.podEnd.onDomainEnd();
    await Promise.all([this.link.run(signal), this.observer.run(signal), this.monitor.run(signal)]);
  }

  /** Makes the domain be there, one request at a time. */
  async sync(request: SyncRequest): Promise<void> {
    await this.#syncing.run(async () =>
      syncDomain(request, {
        link: this.link,
        access: this.access,
        record: this.record,
        paths: this.#settings.paths,
        log: this.#log,
        serveDhcp: async (leases) => this.dhcp.serve(leases),
        stopping: () => this.#terminating,
      }),
    );
    await this.observer.look();
  }

  /** Asks the guest agent a raw command. */
  async askAgent(command: string, timeoutSeconds: number, signal?: AbortSignal): Promise<string | null> {
    const domain = await this.access.find(this.name);
    const timeoutMs = timeoutSeconds * 1000 + 500;
    const options = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
    return domain?.agentCommand(JSON.stringify({ execute: command }), timeoutSeconds, options) ?? null;
  }

  /** The pod ends: shuts the guest down within its grace period, then lets the pod complete. */
  async terminate(): Promise<void> {
    this.#terminating = true;
    this.podEnd.onTerminate();
    // A start that is under way is finished first: a domain that nobody knows of could not be shut down.
    await this.#syncing.run(async () => {});
    const { paths, gracePeriodSeconds } = this.#settings;
    await terminate({
      link: this.link,
      record: this.record,
      stopper: this.stopper,
      observed: () => this.observer.observed,
      look: async () => this.observer.look(),
      log: this.#log,
      gracePeriodSeconds,
      terminatingFile: paths.terminating,
      onNoDomain: () => this.podEnd.onDomainEnd(),
    });
  }

  #onConnected(): void {
    this.observer.onConnected();
    if (this.record.record !== undefined) return;
    // libvirt finds out what its QEMU can do when it is first asked: better now than while a start waits for it.
    this.link.connection.getDomainCapabilities({ arch: 'x86_64', machine: 'q35', virtType: 'qemu' }).catch((err) => {
      this.#log.debug({ err }, 'libvirt does not tell what QEMU can do');
    });
  }

  #onLost(reason: string): void {
    this.agent.stop();
    this.observer.onLost(reason);
  }

  /** Tells the watchers: what happened at once, and that all is as before every few seconds. */
  #publish(event: ViewEvent | undefined): void {
    if (event === undefined && Date.now() - this.#published < HEARTBEAT_MS) return;
    this.#published = Date.now();
    this.hub.publish(this.view, event);
  /** Plugs disks in and out; answers what stands in the way of each that is not as it should be. */
  async syncVolumes(request: PlugRequest): Promise<PlugProblem[]> {
    const { paths } = this.#settings;
    const problems = await this.#syncing.run(async () =>
      syncVolumes(request, { access: this.access, name: this.name, paths, log: this.log }),
    );
    await this.observer.look();
    return problems;
  }

  /** Plugs interfaces in and out and moves links; answers what stands in the way of each that is not as it should be. */
  async syncInterfaces(request: InterfaceRequest): Promise<InterfaceProblem[]> {
    const serveDhcp = async (leases: readonly Lease[]) => this.dhcp.serve(leases);
    const problems = await this.#syncing.run(async () =>
      syncInterfaces(request, { access: this.access, name: this.name, log: this.log, serveDhcp }),
    );
    await this.observer.onDevicesChanged();
    return problems;
  }

  /** Has probes succeed without asking the agent, or ask it again. */
  suspendProbes(suspended: boolean): void {
    this.record.note({ probesSuspended: suspended });
    this.#publish({ time: new Date(), type: 'probes-suspended', detail: String(suspended) });
  }

  }
}
