import { RpcError, Status } from '@yagura/contracts';
import { CALL_PATIENCE_MS, type Target } from './target.ts';

/** Whatever libvirt had against it, it may have no more. */
const RETRY_MS = 10_000;
/** Said by a guest that ends, or by a launcher that comes back. */
const PASSING: readonly Status[] = [Status.FAILED_PRECONDITION, Status.UNAVAILABLE];

/** What was tried last to bring something of a running guest to its spec. */
export interface Attempt {
  wanted: string;
  at: number;
  problem: string | undefined;
}

/** One thing of a running guest that a call to its launcher brings to the spec. */
export interface Following {
  /** Tells it from others of the same guest. */
  kind: 'cpus' | 'memory';
  /** What it is to become. */
  wanted: string;
  call: () => Promise<void>;
  /** What a launcher that does not know the call is older than, such as `CPUs could be plugged in`. */
  since: string;
}

export interface FollowOutcome {
  /** Why the guest does not have it. */
  problem?: string | undefined;
  /** When to look again. */
  afterMs?: number;
}

/** Makes the call, unless it goes on or has failed just now: one at a time, and without waiting for a launcher that hangs. */
export async function followByCall(target: Target, following: Following, now: number): Promise<FollowOutcome> {
  const { memory } = target;
  const { kind, wanted, call, since } = following;
  const name = callOf(target, kind);
  const known = memory.attempts.get(kind);
  const last = known?.wanted === wanted ? known : undefined;
  if (last !== undefined && now - last.at < RETRY_MS && !memory.calls.isRunning(name)) {
    return { problem: last.problem, afterMs: RETRY_MS - (now - last.at) };
  }
  try {
    const ended = await memory.calls.ended(name, CALL_PATIENCE_MS, call, wanted);
    if (!ended) return { problem: last?.problem, afterMs: 1_000 };
    memory.attempts.set(kind, { wanted, at: now, problem: undefined });
    return {};
  } catch (error) {
    const { code, message } = RpcError.from(error);
    if (PASSING.includes(code)) return { problem: last?.problem, afterMs: 1_000 };
    const older = `the launcher of this guest is from before ${since}: restart the guest`;
    const problem = code === Status.UNIMPLEMENTED ? older : message;
    memory.attempts.set(kind, { wanted, at: now, problem });
    return { problem, afterMs: RETRY_MS };
  }
}

/** It is as the spec says: what was tried is of no interest any more. */
export function followed(target: Target, kind: Following['kind']): void {
  target.memory.attempts.delete(kind);
  target.memory.calls.forget(callOf(target, kind));
}

function callOf({ pod }: Target, kind: Following['kind']): string {
  return `${kind} ${pod.metadata.uid}`;
}
