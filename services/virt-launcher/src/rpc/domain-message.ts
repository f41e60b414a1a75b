import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  Accelerator,
  DomainOutcome,
  type DomainSchema,
  DomainState,
  GuestAgentChannel,
  type GuestEvidenceSchema,
  type WatchDomainResponseSchema,
} from '@yagura/contracts';
import type { Outcome } from '../domain/run-record.ts';
import type { AgentView, DomainView, EvidenceView, ViewEvent } from '../domain/view.ts';

type DomainInit = MessageInitShape<typeof DomainSchema>;

const STATES: Record<string, DomainState> = {
  running: DomainState.RUNNING,
  blocked: DomainState.BLOCKED,
  paused: DomainState.PAUSED,
  shutdown: DomainState.SHUTDOWN,
  shutoff: DomainState.SHUTOFF,
  crashed: DomainState.CRASHED,
  pmsuspended: DomainState.PM_SUSPENDED,
};
const OUTCOMES: Record<Outcome, DomainOutcome> = {
  shutdown: DomainOutcome.SHUTDOWN,
  panicked: DomainOutcome.PANICKED,
  'qemu-gone': DomainOutcome.QEMU_GONE,
  crashed: DomainOutcome.CRASHED,
  destroyed: DomainOutcome.DESTROYED,
  migrated: DomainOutcome.MIGRATED,
  failed: DomainOutcome.FAILED,
  unobserved: DomainOutcome.UNOBSERVED,
};
const CHANNELS: Record<AgentView['channel'], GuestAgentChannel> = {
  unknown: GuestAgentChannel.UNSPECIFIED,
  'never-connected': GuestAgentChannel.NEVER_CONNECTED,
  connected: GuestAgentChannel.CONNECTED,
  disconnected: GuestAgentChannel.DISCONNECTED,
};

/** Fields that are undefined are left out, as an absent field of the message. */
type Loose<T> = { [K in keyof T]?: T[K] | undefined };

export function present<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export function timestamp(time: Date | string | undefined): ReturnType<typeof timestampFromDate> | undefined {
  return time === undefined ? undefined : timestampFromDate(new Date(time));
}

/** The launcher's knowledge as the contract words it; without libvirt the state is unspecified, not the last one. */
export function domainMessage(view: DomainView): DomainInit {
  const { observed, record, link, agent, monitor } = view;
  const known = observed.kind === 'defined' ? observed : undefined;
  const end = record?.end;
  return present<DomainInit>({
    name: known?.live?.name ?? record?.name,
    vmiUid: known?.live?.metadata?.uid ?? record?.uid,
    ...stateOf(view),
    stateSince: timestamp(view.stateSince),
    observedAt: observed.kind === 'unknown' ? undefined : timestamp(observed.at),
    qemuPid: known?.qemuPid,
    accelerator: known?.live?.accelerator === 'kvm' ? Accelerator.KVM : known?.live?.accelerator && Accelerator.TCG,
    machineType: known?.live?.machineType,
    osType: known?.live?.osType,
    cpus: known?.live?.cpus,
    memory: known?.live?.memory,
    currentMemoryBytes: known?.live?.currentMemoryBytes,
    guestProbesSuspended: record?.probesSuspended === true,
    selinuxContext: view.selinuxContext,
    accessCredentials: view.credentials,
    interfaces: known?.live?.interfaces.map((nic) => ({
      name: nic.name ?? '',
      macAddress: nic.macAddress ?? '',
      targetDevice: nic.targetDevice ?? '',
      model: nic.model ?? '',
      linkState: nic.linkState,
      queues: nic.queues,
    })),
    disks: known?.live?.disks.map((disk) =>
      present({
        name: disk.name ?? '',
        target: disk.target,
        bus: disk.bus ?? '',
        source: disk.source,
        sizeBytes: sizeOf(disk.source, view),
      }),
    ),
    guestAgent: present({
      channel: CHANNELS[agent.channel],
      channelSince: timestamp(agent.since),
      lastSuccess: timestamp(agent.lastSuccess),
      lastFailure: timestamp(agent.lastFailure),
      lastError: agent.lastError,
      hanging: agent.hanging && { command: agent.hanging.command, since: timestamp(agent.hanging.since) },
    }),
    evidence: evidenceMessage(view.evidence),
    pauseRequested: record?.pauseRequested,
    rebootRequestedAt: timestamp(record?.rebootRequestedAt),
    rebootedAt: timestamp(record?.rebootedAt),
    end:
      end &&
      present({
        time: timestamp(end.time),
        outcome: OUTCOMES[end.outcome],
        message: end.message,
        podTerminating: end.podTerminating,
      }),
    shutdownRequestedAt: timestamp(record?.shutdownRequestedAt),
    ioErrors: view.ioErrors.map((error) => present({ ...error, time: timestamp(error.time) })),
    libvirt: present({
      connected: link.connected,
      since: timestamp(link.since),
      lastError: link.lastError,
      losses: link.losses,
      version: link.version,
    }),
    monitor: present({
      lastAnswer: timestamp(monitor.lastAnswer),
      silentSince: timestamp(monitor.silentSince),
      lastError: monitor.lastError,
    }),
  });
}

function evidenceMessage({ cpu, arp, serial }: EvidenceView): MessageInitShape<typeof GuestEvidenceSchema> {
  return present({
    cpu: cpu && {
      observedAt: timestamp(cpu.at),
      secondsPerSecond: cpu.secondsPerSecond,
      wholeProcess: cpu.wholeProcess,
    },
    arp: arp.map(({ interface: name, answers, at }) => ({ interface: name, answers, observedAt: timestamp(at) })),
    serial:
      serial &&
      present({
        observedAt: timestamp(serial.at),
        panic: serial.panic?.line,
        panicAt: timestamp(serial.panic?.at),
        goingDownAt: timestamp(serial.goingDownAt),
      }),
  });
}

function sizeOf(source: string | undefined, { imageSizes }: DomainView): bigint | undefined {
  const bytes = source === undefined ? undefined : imageSizes.get(source);
  return bytes === undefined ? undefined : BigInt(bytes);
}

function stateOf({ observed, link, record }: DomainView): { state: DomainState; stateReason: string } {
  if (record?.end !== undefined && observed.kind !== 'defined') {
    return { state: DomainState.SHUTOFF, stateReason: record.end.outcome };
  }
  if (!link.connected || observed.kind === 'unknown') return { state: DomainState.UNSPECIFIED, stateReason: '' };
  if (observed.kind === 'absent') return { state: DomainState.ABSENT, stateReason: '' };
  const { state, reason } = observed.state;
  const stateReason = record?.end?.outcome === 'unobserved' ? 'unobserved' : reason === 'ioerror' ? 'io-error' : reason;
  return { state: STATES[state] ?? DomainState.UNSPECIFIED, stateReason };
}

export function watchMessage(
  view: DomainView,
  event: ViewEvent | undefined,
): MessageInitShape<typeof WatchDomainResponseSchema> {
  const what = event && present({ time: timestamp(event.time), type: event.type, detail: event.detail });
  return present({ domain: domainMessage(view), event: what });
}
