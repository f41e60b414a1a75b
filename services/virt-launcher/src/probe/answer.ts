import { RpcError } from '@yagura/contracts';
import { errorMessage } from '@yagura/runtime';
import type { GuestCommand, GuestCommandEnd } from '../agent/exec.ts';
import type { Observed } from '../domain/view.ts';
import type { ProbeRequest } from './arguments.ts';

export interface ProbeAnswer {
  exitCode: number;
  output: string;
}

export interface ProbeWorld {
  observed: Observed;
  /** The guest has run, whatever became of it. */
  started: boolean;
  /** The instance's annotation asks for probes to be left out. */
  suspended: boolean;
  /** The guest has moved, or is about to: what it says here says nothing of it. */
  migrated: boolean;
  ping: (signal: AbortSignal) => Promise<void>;
  exec: (command: GuestCommand, signal: AbortSignal) => Promise<GuestCommandEnd>;
}

/** Pauses of a guest that ran, after which it goes on as if nothing had been; a probe must not take it for dead meanwhile. */
const HEALTHY_PAUSES = ['user', 'migration', 'save', 'dump', 'from-snapshot', 'snapshot', 'postcopy'];
/** What the kubelet keeps of a probe's output is less. */
const OUTPUT_BYTES = 4_096;

/** What a probe says, as the exit code and the output of a command. Never throws. */
export async function answerProbe(request: ProbeRequest, world: ProbeWorld): Promise<ProbeAnswer> {
  if (request.question === 'started') {
    return world.started ? { exitCode: 0, output: '' } : { exitCode: 1, output: 'the guest has not been started yet' };
  }
  const excuse = excuseOf(world);
  if (excuse !== undefined) return { exitCode: 0, output: `not asked: ${excuse}` };
  const { observed } = world;
  if (observed.kind === 'absent') return { exitCode: 1, output: 'the guest does not run' };
  const timeoutMs = request.timeoutSeconds * 1_000;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await inTime(request, world, timeoutMs, signal);
  } catch (error) {
    // The contract's errors say what is wrong; one by the end of the time says nothing.
    const silent = signal.aborted && !(error instanceof RpcError);
    const text = silent ? `the guest agent does not answer within ${request.timeoutSeconds} s` : errorMessage(error);
    return { exitCode: 1, output: text };
  }
}

async function inTime(
  { command }: ProbeRequest,
  world: ProbeWorld,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const [path, ...args] = command ?? [];
  if (path === undefined) {
    await world.ping(signal);
    return { exitCode: 0, output: '' };
  }
  const { exitCode, stdout, stderr } = await world.exec({ path, args, timeoutMs }, signal);
  return { exitCode, output: Buffer.concat([stdout, stderr]).subarray(0, OUTPUT_BYTES).toString() };
}

/** Why the probe succeeds without asking. */
function excuseOf({ observed, suspended, migrated }: ProbeWorld): string | undefined {
  if (suspended) return 'the annotation kubevirt.io/pause-guest-agent-probes is set';
  if (migrated) return 'the guest has moved';
  if (observed.kind === 'defined' && observed.state.state === 'paused') {
    const { reason } = observed.state;
    if (HEALTHY_PAUSES.includes(reason)) return `the guest is paused (${reason})`;
  }
  return undefined;
}
