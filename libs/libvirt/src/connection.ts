import { type CallOptions, call, checkInteger, checkString } from './call.ts';
import { Domain } from './domain.ts';
import { type DomainStats, decodeDomainStats } from './domain-stats.ts';
import { HandleClosedError } from './errors.ts';
import { EventHub, type Subscription } from './event-hub.ts';
import type { CloseReason, DomainEvent, DomainEventOf, DomainEventType } from './events.ts';
import {
  CREATE_FLAGS,
  type CreateFlag,
  DEFINE_FLAGS,
  type DefineFlag,
  LIST_FLAGS,
  type ListFlag,
  STATS_FLAGS,
  STATS_GROUPS,
  type StatsFlag,
  type StatsGroup,
  toBits,
} from './flags.ts';
import { type ConnectionHandle, type NativeDomain, native, type OfConnection } from './native.ts';
import { decodeTypedParams } from './typed-params.ts';

export interface OpenOptions extends CallOptions {
  /** Of every call of this connection that gives none. Migrations have no default bound. */
  callTimeoutMs?: number;
  /** The connection is closed (reason `keepalive`) after `count` unanswered probes. Default 5 s and 3. */
  keepAlive?: { intervalSeconds: number; count: number };
  readOnly?: boolean;
}

/**
 * A connection to a libvirt daemon, with threads of its own: nothing here blocks the event loop, nor another connection.
 * Its calls run one after another, but one that is stuck for 250 ms is overtaken. An idle connection does not keep
 * the process alive.
 */
export class Connection {
  readonly uri: string;
  readonly #handle: ConnectionHandle;
  readonly #hub: EventHub;
  readonly #defaults: CallOptions;
  #closing: Promise<void> | undefined;

  private constructor(uri: string, handle: ConnectionHandle, hub: EventHub, defaults: CallOptions) {
    this.uri = uri;
    this.#handle = handle;
    this.#hub = hub;
    this.#defaults = defaults;
  }

  /**
   * Opens a connection: `qemu:///session`, `qemu:///session?socket=/path`, `qemu:///system`, `test:///default`, …
   * Never starts a daemon (LIBVIRT_AUTOSTART=0): with none there, it fails with NO_CONNECT or SYSTEM_ERROR.
   * See virConnectOpenAuth, virConnectSetKeepAlive, virConnectRegisterCloseCallback.
   */
  static async open(uri: string, options: OpenOptions = {}): Promise<Connection> {
    checkString('Connection.open: uri', uri);
    const { intervalSeconds, count } = options.keepAlive ?? { intervalSeconds: 5, count: 3 };
    const keepAliveInterval = checkInteger('Connection.open: keepAlive.intervalSeconds', intervalSeconds, 0, 3600);
    const keepAliveCount = checkInteger('Connection.open: keepAlive.count', count, 0, 1000);
    const hub = new EventHub();
    const settings = { keepAliveInterval, keepAliveCount, readOnly: options.readOnly ?? false };
    const handle = await call<ConnectionHandle>('Connection.open', options, (done) =>
      native().connectionOpen(uri, settings, hub.onEvent, hub.onClose, done),
    );
    const defaults = options.callTimeoutMs === undefined ? {} : { timeoutMs: options.callTimeoutMs };
    return new Connection(uri, handle, hub, defaults);
  }

  /** True until close() is called; says nothing of the daemon. */
  get open(): boolean {
    return this.#closing === undefined;
  }

  /** Why the connection to the daemon ended, undefined while it lives. */
  get closed(): CloseReason | undefined {
    return this.#hub.closeReason;
  }

  /**
   * Closes the connection and all its Domain handles. Never rejects; with a daemon that hangs it returns after two
   * seconds and the rest is done when the daemon goes. A second close() returns the first one's promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    try {
      await call<null>('Connection.close', { timeoutMs: 2000 }, (done) => native().connectionClose(this.#handle, done));
    } catch {
      // A dead or hung daemon: there is nothing left to do for the caller.
    } finally {
      this.#hub.onClose(3);
    }
  }

  /** Calls `listener` once when the connection ends, at once if it has; `client` is our own close(). */
  onClose(listener: (reason: CloseReason) => void): Subscription {
    return this.#hub.onCloseListener(listener);
  }

  /**
   * Calls `listener` for each event of the given types, of all domains, until the subscription is closed.
   * See virConnectDomainEventRegisterAny.
   */
  async subscribe<const T extends DomainEventType>(
    eventTypes: readonly T[],
    listener: (event: DomainEventOf<T>) => void,
    options: CallOptions = {},
  ): Promise<Subscription> {
    return this.#hub.subscribe(eventTypes, listener as (event: DomainEvent) => void, {
      register: (id) => this.#call('subscribe', native().connectionSubscribe, [id], options),
      unregister: async (id) => {
        if (this.open && this.closed === undefined) {
          await this.#call('unsubscribe', native().connectionUnsubscribe, [id], {});
        }
      },
    });
  }

  /** Whether the connection still works as far as the client side knows (virConnectIsAlive). */
  async isAlive(options: CallOptions = {}): Promise<boolean> {
    return this.#call('isAlive', native().connectionIsAlive, [], options);
  }

  /** The hypervisor's version, major * 1 000 000 + minor * 1000 + release (virConnectGetVersion). */
  async getVersion(options: CallOptions = {}): Promise<number> {
    return this.#call('getVersion', native().connectionGetVersion, [], options);
  }

  /** The daemon's libvirt version (virConnectGetLibVersion). */
  async getLibVersion(options: CallOptions = {}): Promise<number> {
    return this.#call('getLibVersion', native().connectionGetLibVersion, [], options);
  }

  /** See virConnectGetHostname. */
  async getHostname(options: CallOptions = {}): Promise<string> {
    return this.#call('getHostname', native().connectionGetHostname, [], options);
  }

  /** The canonical URI (virConnectGetURI). */
  async getURI(options: CallOptions = {}): Promise<string> {
    return this.#call('getURI', native().connectionGetURI, [], options);
  }

  /** The host's capabilities as XML (virConnectGetCapabilities). */
  async getCapabilities(options: CallOptions = {}): Promise<string> {
    return this.#call('getCapabilities', native().connectionGetCapabilities, [], options);
  }

  /** What a domain of this kind can have, as XML (virConnectGetDomainCapabilities). */
  async getDomainCapabilities(
    kind: { emulator?: string; arch?: string; machine?: string; virtType?: string } = {},
    options: CallOptions = {},
  ): Promise<string> {
    const { emulator = null, arch = null, machine = null, virtType = null } = kind;
    const args = [emulator, arch, machine, virtType] as [string | null, string | null, string | null, string | null];
    return this.#call('getDomainCapabilities', native().connectionGetDomainCapabilities, args, options);
  }

  /** See virConnectListAllDomains. */
  async listAllDomains(flags: readonly ListFlag[] = [], options: CallOptions = {}): Promise<Domain[]> {
    const bits = toBits('Connection.listAllDomains: flags', LIST_FLAGS, flags);
    const domains = await this.#call('listAllDomains', native().connectionListAllDomains, [bits], options);
    return domains.map((domain) => this.#domain(domain));
  }

  /** Fails with NO_DOMAIN when there is none (virDomainLookupByName). */
  async lookupByName(name: string, options: CallOptions = {}): Promise<Domain> {
    checkString('Connection.lookupByName: name', name);
    return this.#domain(await this.#call('lookupByName', native().connectionLookupByName, [name], options));
  }

  /** Fails with NO_DOMAIN when there is none (virDomainLookupByUUIDString). */
  async lookupByUUID(uuid: string, options: CallOptions = {}): Promise<Domain> {
    checkString('Connection.lookupByUUID: uuid', uuid);
    return this.#domain(await this.#call('lookupByUUID', native().connectionLookupByUUID, [uuid], options));
  }

  /** Defines a persistent domain, or redefines it (virDomainDefineXMLFlags). */
  async defineXML(xml: string, flags: readonly DefineFlag[] = [], options: CallOptions = {}): Promise<Domain> {
    checkString('Connection.defineXML: xml', xml);
    const bits = toBits('Connection.defineXML: flags', DEFINE_FLAGS, flags);
    return this.#domain(await this.#call('defineXML', native().connectionDefineXML, [xml, bits], options));
  }

  /** Starts a transient domain (virDomainCreateXML). */
  async createXML(xml: string, flags: readonly CreateFlag[] = [], options: CallOptions = {}): Promise<Domain> {
    checkString('Connection.createXML: xml', xml);
    const bits = toBits('Connection.createXML: flags', CREATE_FLAGS, flags);
    return this.#domain(await this.#call('createXML', native().connectionCreateXML, [xml, bits], options));
  }

  /** Stats of all domains in one call; no groups means all that the hypervisor has (virConnectGetAllDomainStats). */
  async getAllDomainStats(
    groups: readonly StatsGroup[] = [],
    flags: readonly StatsFlag[] = [],
    options: CallOptions = {},
  ): Promise<DomainStats[]> {
    const groupBits = toBits('Connection.getAllDomainStats: groups', STATS_GROUPS, groups);
    const bits = toBits('Connection.getAllDomainStats: flags', STATS_FLAGS, flags);
    const submit = native().connectionGetAllDomainStats;
    const records = await this.#call('getAllDomainStats', submit, [groupBits, bits], options);
    return records.map(([name, uuid, id, params]) => decodeDomainStats({ name, uuid, id }, decodeTypedParams(params)));
  }

  #domain([handle, name, uuid]: NativeDomain): Domain {
    return new Domain(handle, name, uuid, this.#defaults, () => this.open);
  }

  #call<A extends unknown[], N>(name: string, submit: OfConnection<A, N>, args: A, options: CallOptions): Promise<N> {
    if (!this.open) throw new HandleClosedError(`Connection.${name}: the connection is closed`);
    const bounds = { ...this.#defaults, ...options };
    return call<N>(`Connection.${name}`, bounds, (done) => submit(this.#handle, ...args, done));
  }
}
