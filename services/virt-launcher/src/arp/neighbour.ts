/** The kernel's entry of one address, as `ip -json -statistics neighbour show` has it. */
export interface Neighbour {
  /** NUD state: REACHABLE, STALE, DELAY, PROBE, INCOMPLETE, FAILED, PERMANENT, NOARP or NONE. */
  state: string;
  /** Whole seconds since its owner last answered. */
  confirmedSeconds: number | undefined;
}

export function parseNeighbour(json: string, address: string): Neighbour | undefined {
  const entries = JSON.parse(json || '[]') as { dst?: string; state?: string[]; confirmed?: number }[];
  const entry = entries.find(({ dst }) => dst === address);
  return entry && { state: entry.state?.[0] ?? 'NONE', confirmedSeconds: entry.confirmed };
}

/** `untold`: the entry was made by hand, so the kernel asks nobody. */
export type ArpVerdict = 'pending' | 'answers' | 'silent' | 'untold';

/**
 * One question by ARP, followed in the neighbour table. A kernel that has been answered lately asks nobody; only an answer
 * that is newer than the question counts, which the entry shows by leaving REACHABLE and coming back to it, or by its age.
 */
export class ArpQuestion {
  #doubted: boolean;

  /** @param before the entry before anything was sent */
  constructor(before: Neighbour | undefined) {
    this.#doubted = before?.state !== 'REACHABLE';
  }

  /** @param elapsedMs since the first datagram was sent */
  judge(entry: Neighbour | undefined, elapsedMs: number): ArpVerdict {
    if (entry === undefined) return 'pending';
    const { state, confirmedSeconds } = entry;
    if (state === 'PERMANENT' || state === 'NOARP') return 'untold';
    if (state === 'FAILED') return 'silent';
    if (state !== 'REACHABLE') {
      this.#doubted = true;
      return 'pending';
    }
    const newer = confirmedSeconds !== undefined && (confirmedSeconds + 1) * 1000 <= elapsedMs;
    return this.#doubted || newer ? 'answers' : 'pending';
  }
}

/** Whether the kernel needs another datagram to go on: it doubts an entry only when it is used. */
export function needsUse(entry: Neighbour | undefined): boolean {
  return entry === undefined || ['REACHABLE', 'STALE', 'NONE'].includes(entry.state);
}
