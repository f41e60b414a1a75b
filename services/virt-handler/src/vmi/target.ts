import type { Pod, VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import type { ReconcileContext } from '@yagura/kube';
import type { LauncherLink } from '../launcher/launcher-link.ts';
import type { NetworkAttempt } from '../network/live-network.ts';
import type { InFlight } from '../system/in-flight.ts';
import type { Attempt } from './follow-by-call.ts';

/** A worker waits for a launcher so long; a call that takes longer goes on without it. */
export const CALL_PATIENCE_MS = 2_000;

/** What is remembered of an instance between two looks; losing it costs nothing but a repetition. */
export interface Memory {
  uid: string | undefined;
  shutdownSentAt: number | undefined;
  startingSince: number | undefined;
  /** The launcher was told to end. */
  dismissed: boolean;
  /** What was last tried to bring the interfaces of the running domain to the spec. */
  network?: NetworkAttempt | undefined;
  /** What was last tried to make the running guest larger, by kind. */
  attempts: Map<string, Attempt>;
  /** What the launcher said of volumes last, by name. */
  volumeProblems?: ReadonlyMap<string, string> | undefined;
  /** Calls to the launcher that have not ended. */
  calls: InFlight;
  /** Events of restarts that this process has recorded. */
  restartsTold: Set<string>;
}

/** One instance with its launcher pod on this node, at one look. */
export interface Target {
  vmi: VirtualMachineInstance;
  pod: Pod;
  link: LauncherLink | undefined;
  memory: Memory;
  context: ReconcileContext;
}

/** Name of the start in a pod among the calls in flight. */
export function startOf(pod: Pod): string {
  return `start ${pod.metadata.uid}`;
}

/** Whether there is a QEMU behind the domain. */
export function isActive(domain: Domain | undefined): boolean {
  const inactive = [DomainState.UNSPECIFIED, DomainState.ABSENT, DomainState.SHUTOFF, DomainState.CRASHED];
  return domain !== undefined && !inactive.includes(domain.state);
}

/** Now, in seconds, as Kubernetes writes times. */
export function rfc3339(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
