import type { VirtualMachineInstance } from '@yagura/api';
import { RpcError, Status } from '@yagura/contracts';
import type { Logger } from '@yagura/runtime';
import { ClockSync } from './agent/clock-sync.ts';
import { Freezer } from './agent/freezer.ts';
import { HangingCommand } from './agent/hanging.ts';
import { OnlineCpus } from './agent/online-cpus.ts';
import { OnlineMemory } from './agent/online-memory.ts';
import { AgentPoller } from './agent/poller.ts';
import { ArpProbe, type ArpTarget } from './arp/arp-probe.ts';
import { Credentials } from './credentials/credentials.ts';
import type { Lease } from './dhcp/lease.ts';
import { DhcpManager } from './dhcp/manager.ts';
import { CpuMeter } from './domain/cpu-meter.ts';
import { lastWords } from './domain/last-words.ts';
import { MonitorProbe } from './domain/monitor-probe.ts';
import { DomainObserver, isActive } from './domain/observer.ts';
import { type PlugProblem, type PlugRequest, syncVolumes } from './domain/plug.ts';
import { PodEnd } from './domain/pod-end.ts';
import { RunRecordFile } from './domain/run-record.ts';
import { SerialLog } from './domain/serial-log.ts';
import { StatsReader } from './domain/stats.ts';
import { DomainStopper } from './domain/stop.ts';
import { type SyncRequest, syncDomain } from './domain/sync.ts';
import { syncCpus } from './domain/sync-cpus.ts';
import { type InterfaceProblem, type InterfaceRequest, syncInterfaces } from './domain/sync-interfaces.ts';
import { syncMemory } from './domain/sync-memory.ts';
import { terminate } from './domain/terminator.ts';
import type { DomainView, ViewEvent } from './domain/view.ts';
import { WatchHub } from './domain/watch-hub.ts';
import { DomainAccess } from './libvirt/domain-access.ts';
import { LibvirtLink } from './libvirt/link.ts';
import { GuestProbes } from './probe/guest-probes.ts';
import { Mutex } from './process/mutex.ts';
import { selinuxContext } from './process/selinux.ts';
import type { Settings } from './settings.ts';

/** A watcher hears at least this often that the launcher still looks; just under the observer's period. */
const HEARTBEAT_MS = 3_500;
/** An agent that has not answered by then may be silent: the guest is asked by other ways meanwhile. */
const DOUBT_MS = 1_000;
const PING_SECONDS = 4;
/** Between two such questions to a guest that has no agent to ask. */
const AGENTLESS_MS = 10_000;

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
  readonly cpu = new CpuMeter();
  readonly arp: ArpProbe;
  readonly hanging: HangingCommand;
  readonly stopper: DomainStopper;
  readonly dhcp: DhcpManager;
  readonly credentials: Credentials;
  readonly podEnd: PodEnd;
  readonly freezer: Freezer;
  readonly clock: ClockSync;
  readonly onlineCpus: OnlineCpus;
  readonly onlineMemory: OnlineMemory;
  readonly probes: GuestProbes;
  readonly #settings: Settings;
  readonly #serialLog: SerialLog;
  readonly log: Logger;
  readonly #syncing = new Mutex();
  readonly #selinuxContext = selinuxContext();
  #terminating = false;
  #published = 0;
  #askedAgentless = 0;

  constructor(settings: Settings, log: Logger, farewell: () => Promise<void>) {
    const { paths } = settings;
    this.#settings = settings;
    this.log = log;
    this.record = new RunRecordFile(paths.runRecord);
    this.hanging = new HangingCommand(this.record);
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
      (type, detail) => {
        this.credentials.wake();
        this.#publish({ time: new Date(), type, detail });
      },
    );
    this.stats = new StatsReader(this.link, () => this.monitor);
    this.monitor = new MonitorProbe(
      {
        ask: async (timeoutMs) => {
          this.cpu.note(await this.stats.ask(this.name, ['balloon', 'block', 'cpu', 'vcpu'], timeoutMs));
        },
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
      onLook: (event) => {
        this.#publish(event);
        // A domain that was not there before has a monitor that nobody has asked yet.
        if (this.active && this.monitor.view.lastAnswer === undefined) void this.monitor.probe();
        this.#askAgentless();
      },
      onAgentChannel: (connected) => this.#onAgentChannel(connected),
      onReset: () => void this.#serialLog.noteReset(),
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
    this.probes = new GuestProbes({
      ask: async (command, timeoutSeconds, signal, args) => this.askAgent(command, timeoutSeconds, signal, args),
      channelIsOpen: () => this.observer.channel.channel === 'connected',
      observed: () => this.observer.observed,
      record: this.record,
      onAnswer: () => this.agent.noteSuccess(),
      onPingFailed: (detail) => this.#publish({ time: new Date(), type: 'guest-agent-ping-failed', detail }),
    });
    this.freezer = new Freezer({
      ask: async (command, timeoutSeconds) => this.askAgent(command, timeoutSeconds),
      agent: this.agent,
      obstacle: () => this.#agentObstacle(),
      record: this.record,
      log,
    });
    this.clock = new ClockSync({
      ask: async (command, timeoutSeconds, args) => this.askAgent(command, timeoutSeconds, undefined, args),
      obstacle: () => this.#agentObstacle(),
      record: this.record,
      log,
    });
    this.onlineCpus = new OnlineCpus({
      ask: async (command, timeoutSeconds, args) => this.askAgent(command, timeoutSeconds, undefined, args),
      obstacle: () => this.#agentObstacle(),
      record: this.record,
      log,
    });
    this.onlineMemory = new OnlineMemory({
      ask: async (command, timeoutSeconds, args) => this.askAgent(command, timeoutSeconds, undefined, args),
      obstacle: () => this.#agentObstacle(),
      taken: () => this.#takenMemory(),
      record: this.record,
      log,
    });
    this.#serialLog = new SerialLog({
      privateDirectory: paths.privateDirectory,
      record: this.record,
      log,
      onChange: () => this.#publish({ time: new Date(), type: 'serial', detail: '' }),
    });
    this.arp = new ArpProbe({
      targets: () => this.#arpTargets(),
      log,
      onChange: () => this.#publish({ time: new Date(), type: 'arp', detail: '' }),
    });
    this.credentials = new Credentials({
      paths,
      log,
      ask: async (command, timeoutSeconds, signal, args) => this.askAgent(command, timeoutSeconds, signal, args),
      agentSince: () => (this.agent.answering ? this.observer.channel.since : undefined),
      onChange: (view) => this.#publish({ time: new Date(), type: 'access-credentials', detail: view.message }),
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
      agent: { ...this.observer.channel, ...this.agent.pulse, hanging: this.hanging.command },
      monitor: this.monitor.view,
      evidence: { cpu: this.cpu.view, arp: this.arp.answers, serial: this.#serialLog.view },
      record: this.record.record,
      ioErrors: this.observer.ioErrors,
      link: this.link.status,
      imageSizes: this.observer.imageSizes,
      selinuxContext: this.#selinuxContext,
      credentials: this.credentials.view,
    };
  }

  /** Works until the signal is aborted; SIGTERM is not that, it is `terminate`. */
  async run(signal: AbortSignal): Promise<void> {
    await this.dhcp.restore();
    if (this.record.record?.end !== undefined) this.podEnd.onDomainEnd();
    const parts = [
      this.link,
      this.observer,
      this.monitor,
      this.freezer,
      this.clock,
      this.onlineCpus,
      this.onlineMemory,
      this.credentials,
      this.#serialLog,
    ];
    await Promise.all(parts.map(async (part) => part.run(signal)));
  }

  /** Makes the domain be there, one request at a time. */
  async sync(request: SyncRequest): Promise<void> {
    await this.#syncing.run(async () =>
      syncDomain(request, {
        link: this.link,
        access: this.access,
        record: this.record,
        paths: this.#settings.paths,
        log: this.log,
        serveDhcp: async (leases) => this.dhcp.serve(leases),
        keepCredentials: async (credentials) => this.credentials.keep(credentials),
        stopping: () => this.#terminating,
      }),
    );
    await this.observer.look();
  }

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

  /** Gives the running domain the CPUs of the spec, and has the guest use them. */
  async syncCpus(vmi: VirtualMachineInstance): Promise<void> {
    // Asked for before they are there: whatever dies in between, the guest is told to use them.
    const beforePlug = (count: number) => this.onlineCpus.request(count);
    try {
      await this.#syncing.run(async () =>
        syncCpus(vmi, { access: this.access, name: this.name, log: this.log, beforePlug }),
      );
    } finally {
      // libvirt plugs one by one, and may have plugged some.
      await this.observer.onDevicesChanged();
    }
  }

  /** Offers the running domain the memory of the spec, and has the guest use it. */
  async syncMemory(vmi: VirtualMachineInstance): Promise<void> {
    const beforePlug = (bytes: bigint) => this.onlineMemory.request(Number(bytes));
    try {
      await this.#syncing.run(async () =>
        syncMemory(vmi, { access: this.access, name: this.name, log: this.log, beforePlug }),
      );
    } finally {
      // A call that was given up may have been obeyed.
      await this.observer.onDevicesChanged();
    }
  }

  /** Has probes succeed without asking the agent, or ask it again. */
  suspendProbes(suspended: boolean): void {
    this.record.note({ probesSuspended: suspended });
    this.#publish({ time: new Date(), type: 'probes-suspended', detail: String(suspended) });
  }

  /** Asks the guest agent a raw command. */
  async askAgent(command: string, timeoutSeconds: number, signal?: AbortSignal, args?: object): Promise<string | null> {
    const domain = await this.access.find(this.name);
    const send = (question: object, seconds: number) => async () => {
      const timeoutMs = seconds * 1000 + 500;
      const options = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
      return domain?.agentCommand(JSON.stringify(question), seconds, options) ?? null;
    };
    const question = { execute: command, ...(args === undefined ? {} : { arguments: args }) };
    const ping = send({ execute: 'guest-ping' }, Math.min(timeoutSeconds, PING_SECONDS));
    const doubt = setTimeout(() => this.#doubt(), DOUBT_MS);
    try {
      return await this.hanging.ask(command, send(question, timeoutSeconds), ping);
    } finally {
      clearTimeout(doubt);
    }
  }

  /** The agent takes its time: whether it or all of the guest is to blame is told by whatever needs no agent. */
  #doubt(): void {
    void this.arp.ask();
    void this.#serialLog.look();
  }

  #onAgentChannel(connected: boolean): void {
    if (connected) return this.agent.start();
    this.agent.stop();
    if (this.hanging.command !== undefined) this.hanging.forget();
    // Whether the guest goes down, and its agent with it, is to be known at once.
    if (this.active) void this.#serialLog.look();
  }

  /** A guest without an agent is asked only where its console says that it has panicked: an answer takes that back. */
  #askAgentless(): void {
    if (this.#serialLog.view?.panic === undefined || this.observer.channel.channel !== 'never-connected') return;
    if (Date.now() - this.#askedAgentless < AGENTLESS_MS) return;
    this.#askedAgentless = Date.now();
    void this.arp.ask();
  }

  /** Guests behind NAT: the pod has an address in their network, and gave them theirs. */
  #arpTargets(): ArpTarget[] {
    const { observed } = this.observer;
    if (observed.kind !== 'defined' || observed.state.state !== 'running') return [];
    return (observed.live?.interfaces ?? []).flatMap(({ name, macAddress, linkState }) => {
      const lease = this.dhcp.leases.find((one) => one.macAddress === macAddress?.toLowerCase());
      if (name === undefined || lease === undefined || lease.routing !== undefined || linkState === 'down') return [];
      return [{ interface: name, address: lease.guestAddress }];
    });
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
      log: this.log,
      gracePeriodSeconds,
      terminatingFile: paths.terminating,
      onNoDomain: () => this.podEnd.onDomainEnd(),
    });
  }

  /** A guest that stands still or has no agent answers nothing; whoever asks it would only wait. */
  #agentObstacle(): RpcError | undefined {
    const { observed, channel } = this.observer;
    if (!this.active)
      return new RpcError(Status.FAILED_PRECONDITION, 'no domain is running', { reason: 'WRONG_STATE' });
    if (observed.kind === 'defined' && observed.state.state === 'paused')
      return new RpcError(Status.FAILED_PRECONDITION, 'the domain is paused', { reason: 'WRONG_STATE' });
    if (channel.channel === 'connected') return undefined;
    const closed = 'the channel of the guest agent is closed';
    return new RpcError(Status.UNAVAILABLE, closed, { reason: 'AGENT_CHANNEL_CLOSED' });
  }

  #takenMemory(): bigint {
    const { observed } = this.observer;
    return (observed.kind === 'defined' ? observed.live?.memory?.currentBytes : undefined) ?? 0n;
  }

  #onConnected(): void {
    this.observer.onConnected();
    if (this.record.record !== undefined) return;
    // libvirt finds out what its QEMU can do when it is first asked: better now than while a start waits for it.
    this.link.connection.getDomainCapabilities({ arch: 'x86_64', machine: 'q35', virtType: 'qemu' }).catch((err) => {
      this.log.debug({ err }, 'libvirt does not tell what QEMU can do');
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
  }
}
