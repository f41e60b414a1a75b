import { type CallOptions, checkInteger, checkString } from './call.ts';
import { DomainInspect } from './domain-inspect.ts';
import {
  ADDRESS_SOURCES,
  type AddressSource,
  GUEST_INFO_TYPES,
  type GuestInfoType,
  SET_TIME_FLAGS,
  type SetTimeFlag,
  toBits,
  toIndex,
} from './flags.ts';
import { decodeGuestInfo, type GuestAddress, type GuestInfo } from './guest-info.ts';
import { type NativeAddress, native } from './native.ts';
import { decodeTypedParams } from './typed-params.ts';

/** How long libvirt waits for the guest agent: seconds, its default of 5 s, for ever, or no wait at all. */
export type AgentTimeout = number | 'default' | 'block' | 'nowait';

export interface InterfaceAddresses {
  name: string;
  hwaddr: string | null;
  addrs: Required<GuestAddress>[];
}

/** Moment of the guest's clock. */
export interface GuestTime {
  seconds: bigint;
  nanoseconds: number;
}

function agentTimeout(what: string, timeout: AgentTimeout): number {
  if (timeout === 'default') return -1;
  if (timeout === 'block') return -2;
  if (timeout === 'nowait') return 0;
  return checkInteger(what, timeout, 1, 2 ** 31 - 1);
}

function decodeAddresses([name, hwaddr, flat]: NativeAddress): InterfaceAddresses {
  const addrs = Array.from({ length: flat.length / 3 }, (_, i) => ({
    type: flat[3 * i] === 1 ? 'ipv6' : 'ipv4',
    addr: String(flat[3 * i + 1]),
    prefix: Number(flat[3 * i + 2]),
  }));
  return { name, hwaddr, addrs };
}

/**
 * Asking the guest agent. These calls have a thread of their own, so a hung agent delays only other agent calls.
 * A guest without a (live) agent fails them with AGENT_UNRESPONSIVE, ARGUMENT_UNSUPPORTED or OPERATION_INVALID.
 */
export class DomainGuest extends DomainInspect {
  /** What the agent knows of these types, all when none is given (virDomainGetGuestInfo). */
  async getGuestInfo(infoTypes: readonly GuestInfoType[] = [], options: CallOptions = {}): Promise<GuestInfo> {
    const params = await this.invoke(
      'getGuestInfo',
      native().domainGetGuestInfo,
      [toBits('Domain.getGuestInfo: infoTypes', GUEST_INFO_TYPES, infoTypes)],
      options,
    );
    return decodeGuestInfo(decodeTypedParams(params));
  }

  /** A raw command, as `{"execute":"guest-ping"}`, and its raw answer (virDomainQemuAgentCommand). */
  async agentCommand(
    command: string,
    timeout: AgentTimeout = 'default',
    options: CallOptions = {},
  ): Promise<string | null> {
    return this.invoke(
      'agentCommand',
      native().domainAgentCommand,
      [checkString('Domain.agentCommand: command', command), agentTimeout('Domain.agentCommand: timeout', timeout)],
      options,
    );
  }

  /** For the agent calls that carry no timeout of their own (virDomainAgentSetResponseTimeout). */
  async setAgentResponseTimeout(timeout: AgentTimeout, options: CallOptions = {}): Promise<void> {
    await this.invoke(
      'setAgentResponseTimeout',
      native().domainSetAgentResponseTimeout,
      [agentTimeout('Domain.setAgentResponseTimeout: timeout', timeout)],
      options,
    );
  }

  /** Addresses as the agent, the DHCP leases of libvirt's networks or the host's ARP table have them (virDomainInterfaceAddresses). */
  async interfaceAddresses(source: AddressSource = 'agent', options: CallOptions = {}): Promise<InterfaceAddresses[]> {
    const interfaces = await this.invoke(
      'interfaceAddresses',
      native().domainInterfaceAddresses,
      [toIndex('Domain.interfaceAddresses: source', ADDRESS_SOURCES, source)],
      options,
    );
    return interfaces.map(decodeAddresses);
  }

  /** The guest's host name as the agent has it (virDomainGetHostname). */
  async getHostname(options: CallOptions = {}): Promise<string> {
    return this.invoke('getHostname', native().domainGetHostname, [2], options);
  }

  /** See virDomainGetTime. */
  async getTime(options: CallOptions = {}): Promise<GuestTime> {
    const [seconds, nanoseconds] = await this.invoke('getTime', native().domainGetTime, [], options);
    return { seconds, nanoseconds };
  }

  /** Sets the guest's clock; with `sync` from its own RTC (virDomainSetTime). */
  async setTime(time: GuestTime, flags: readonly SetTimeFlag[] = [], options: CallOptions = {}): Promise<void> {
    if (typeof time.seconds !== 'bigint') throw new TypeError('Domain.setTime: time.seconds must be a bigint');
    await this.invoke(
      'setTime',
      native().domainSetTime,
      [
        time.seconds,
        checkInteger('Domain.setTime: time.nanoseconds', time.nanoseconds, 0, 999_999_999),
        toBits('Domain.setTime: flags', SET_TIME_FLAGS, flags),
      ],
      options,
    );
  }

  /** Freezes the filesystems at these mount points, all when none is given; says how many (virDomainFSFreeze). */
  async fsFreeze(mountpoints: readonly string[] = [], options: CallOptions = {}): Promise<number> {
    return this.invoke('fsFreeze', native().domainFSFreeze, [mountpoints], options);
  }

  /** See virDomainFSThaw. */
  async fsThaw(mountpoints: readonly string[] = [], options: CallOptions = {}): Promise<number> {
    return this.invoke('fsThaw', native().domainFSThaw, [mountpoints], options);
  }
}
