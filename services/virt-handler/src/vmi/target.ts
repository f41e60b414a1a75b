import type { Pod, VirtualMachineInstance } from '@yagura/api';
import { type Domain, DomainState } from '@yagura/contracts';
import type { ReconcileContext } from '@yagura/kube';
import type { LauncherLink } from '../launcher/launcher-link.ts';

/** What is remembered of an instance between two looks; losing it costs nothing but a repetition. */
export interface Memory {
  uid: string | undefined;
  shutdownSentAt: number | undefined;
  startingSince: number | undefined;
  /** The launcher was told to end. */
  dismissed: boolean;
}

/** One instance with its launcher pod on this node, at one look. */
export interface Target {
  vmi: VirtualMachineInstance;
  pod: Pod;
  link: LauncherLink | undefined;
  memory: Memory;
  context: ReconcileContext;
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
