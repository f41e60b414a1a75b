import type { LiveDomain } from '@yagura/domain';
import type { StateAndReason } from '@yagura/libvirt';
import type { ArpAnswerView } from '../arp/arp-probe.ts';
import type { CredentialsView } from '../credentials/credentials.ts';
import type { LinkStatus } from '../libvirt/link.ts';
import type { CpuUseView } from './cpu-meter.ts';
import type { RunRecord } from './run-record.ts';
import type { SerialView } from './serial-log.ts';

/** What libvirt said of the domain when it was last asked. */
export type Observed =
  | { kind: 'unknown' }
  | { kind: 'absent'; at: Date }
  | { kind: 'defined'; at: Date; state: StateAndReason; live: LiveDomain | undefined; qemuPid: number | undefined };

export interface IoErrorView {
  volume: string;
  device: string;
  reason: string;
  time: Date;
}

export interface AgentView {
  channel: 'unknown' | 'never-connected' | 'connected' | 'disconnected';
  since: Date | undefined;
  lastSuccess: Date | undefined;
  lastFailure: Date | undefined;
  lastError: string | undefined;
  /** The command that it does not come back from, and when it was asked. */
  hanging: { command: string; since: Date } | undefined;
}

/** What tells of the guest without its agent. */
export interface EvidenceView {
  cpu: CpuUseView | undefined;
  arp: readonly ArpAnswerView[];
  serial: SerialView | undefined;
}

/** Whether QEMU answers libvirt on its monitor. */
export interface MonitorView {
  lastAnswer: Date | undefined;
  silentSince: Date | undefined;
  lastError: string | undefined;
}

/** Everything the launcher knows of its domain at one moment. */
export interface DomainView {
  observed: Observed;
  stateSince: Date | undefined;
  agent: AgentView;
  monitor: MonitorView;
  evidence: EvidenceView;
  record: RunRecord | undefined;
  ioErrors: readonly IoErrorView[];
  link: LinkStatus;
  /** Bytes of the images that were made from objects of the API, by path. */
  imageSizes: ReadonlyMap<string, number>;
  /** How the last attempt to put the access credentials into the guest ended. */
  credentials: CredentialsView | undefined;
  /** "none" without SELinux. */
  selinuxContext: string;
}

/** What made the launcher look again. */
export interface ViewEvent {
  time: Date;
  type: string;
  detail: string;
}
