import type { VirtualMachineInstance } from '@yagura/api';
import type { Domain } from '@yagura/contracts';
import { toDate } from '@yagura/layers/launcher';

/** Events live for an hour; what is older was told in its time, or is nobody's news any more. */
const RECENT_MS = 55 * 60_000;

export interface Restarts {
  /** When the launcher that runs now was started, where another one ran before. */
  launcher: Date | undefined;
  /** When the launcher had its libvirt daemon back. */
  libvirt: Date | undefined;
}

/**
 * Restarts under a running guest, from what the launcher says and the instance shows: a virt-handler that was away, or that is new,
 * finds the same. `now` in milliseconds.
 */
export function recentRestarts(
  vmi: VirtualMachineInstance,
  startedAt: Date | undefined,
  domain: Domain | undefined,
  now: number,
): Restarts {
  const running = vmi.status?.phaseTransitionTimestamps?.findLast(({ phase }) => phase === 'Running');
  // Written in whole seconds, rounded down.
  const since = Date.parse(running?.phaseTransitionTimestamp ?? '') + 1_000;
  const under = (at: Date | undefined) =>
    at !== undefined && at.getTime() >= since && now - at.getTime() < RECENT_MS ? at : undefined;
  const { libvirt } = domain ?? {};
  return {
    launcher: under(startedAt),
    libvirt: libvirt?.connected && libvirt.losses > 0 ? under(toDate(libvirt.since)) : undefined,
  };
}
