/** How the run of a launcher ended: as its domain did, or without there ever having been one. */
export type LauncherOutcome =
  | 'shutdown'
  /** The guest's kernel panicked. */
  | 'panicked'
  /** QEMU ended by itself or was killed. */
  | 'qemu-gone'
  /** One of the two; nobody heard which. */
  | 'crashed'
  | 'destroyed'
  | 'migrated'
  | 'failed'
  | 'unobserved'
  /** The launcher was let go before it was given a domain. */
  | 'no-domain';

/** A launcher's last words: its container's termination message, for whoever was not there to hear them. */
export interface LauncherEnd {
  outcome: LauncherOutcome;
  /** For people: what ended it. */
  message: string;
  /** Whether QEMU ever ran. */
  ran: boolean;
  /** Whether the end came after the kubelet had told the pod to end. */
  podTerminating: boolean;
}

/** The kubelet shows no more of a termination message. */
export const TERMINATION_MESSAGE_BYTES = 4096;

/** Where a container's last words go, by the kubelet's default. */
export const TERMINATION_MESSAGE_PATH = '/dev/termination-log';

/**
 * Exit code of the container for each end, for those who see nothing else. 1 is left to a pod whose launcher did not live
 * to say anything. Zero says that somebody may be content, not what happened: that is in the message alone.
 */
const EXIT_CODES: Record<LauncherOutcome, number> = {
  shutdown: 0,
  migrated: 0,
  crashed: 2,
  failed: 3,
  unobserved: 4,
  destroyed: 5,
  'no-domain': 6,
  'qemu-gone': 7,
  panicked: 8,
};

export function launcherExitCode(outcome: LauncherOutcome): number {
  return EXIT_CODES[outcome];
}

/** As one line of JSON that fits into a termination message; of a message that is too long the end is left out. */
export function encodeLauncherEnd(end: LauncherEnd): string {
  const { outcome, ran, podTerminating } = end;
  // By code points, so that none is cut in two; each is at most twelve bytes of JSON.
  const points = [...end.message];
  const encoded = (length: number) =>
    JSON.stringify({ outcome, ran, podTerminating, message: points.slice(0, length).join('') });
  let length = points.length;
  while (new TextEncoder().encode(encoded(length)).length > TERMINATION_MESSAGE_BYTES) {
    length = Math.min(length - 1, Math.max(TERMINATION_MESSAGE_BYTES, Math.floor(length * 0.9)));
  }
  return encoded(length);
}

/** undefined when it is not a launcher's: nothing follows from it then. */
export function decodeLauncherEnd(text: string | undefined): LauncherEnd | undefined {
  const value = parse(text ?? '');
  if (typeof value !== 'object' || value === null) return undefined;
  const { outcome, message, ran, podTerminating } = value as Partial<Record<keyof LauncherEnd, unknown>>;
  if (typeof outcome !== 'string' || !Object.hasOwn(EXIT_CODES, outcome)) return undefined;
  if (typeof message !== 'string' || typeof ran !== 'boolean' || typeof podTerminating !== 'boolean') return undefined;
  return { outcome: outcome as LauncherOutcome, message, ran, podTerminating };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
