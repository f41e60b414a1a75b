/** What is written down of one run on this node. */
export interface SpooledRun {
  namespace: string;
  name: string;
  uid: string;
  bytes: number;
  /** When something was written last, in milliseconds since the epoch. */
  lastAt: number;
  /** It was set aside, as nobody understood it. */
  unread?: true;
}

export interface RetentionLimits {
  /** Of a run that has ended. */
  days: number;
  /** Runs of the same name that have ended, the newest. */
  runsOfName: number;
  /** Of all that is written down; runs that are being recorded stay whatever they take. */
  bytes: number;
}

export const RETENTION: RetentionLimits = { days: 7, runsOfName: 10, bytes: 64 * 1024 * 1024 };

const DAY_MS = 86_400_000;

/** Which ended runs are to be forgotten: what is too old, then the oldest of too many of a name, then of too much in all. */
export function toForget(
  runs: readonly SpooledRun[],
  isRecording: (uid: string) => boolean,
  now: number,
  limits: RetentionLimits = RETENTION,
): SpooledRun[] {
  const ofName = new Map<string, number>();
  let bytes = runs.filter(({ uid }) => isRecording(uid)).reduce((sum, run) => sum + run.bytes, 0);
  const ended = runs.filter(({ uid }) => !isRecording(uid)).sort((a, b) => b.lastAt - a.lastAt);
  return ended.filter((run) => {
    const key = `${run.namespace}/${run.name}`;
    const count = (ofName.get(key) ?? 0) + 1;
    const keeps =
      now - run.lastAt <= limits.days * DAY_MS && count <= limits.runsOfName && bytes + run.bytes <= limits.bytes;
    if (!keeps) return true;
    ofName.set(key, count);
    bytes += run.bytes;
    return false;
  });
}
