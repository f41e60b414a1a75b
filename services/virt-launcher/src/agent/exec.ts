import { sleep } from '@yagura/runtime';
import { parseAnswer } from './topics.ts';

/** Asks the agent a command with arguments, and gives its raw answer. */
export type AskAgent = (
  command: string,
  timeoutSeconds: number,
  signal: AbortSignal,
  args?: object,
) => Promise<string | null>;

export interface GuestCommand {
  path: string;
  args: readonly string[];
  timeoutMs: number;
}

export interface GuestCommandEnd {
  exitCode: number;
  /** Number of the signal that ended it; then the exit code is 128 + that, as a shell has it. */
  signal?: number;
  stdout: Buffer;
  stderr: Buffer;
  /** The agent kept no more of the output. */
  truncated: boolean;
}

/** A command of the guest that has not ended in its time; it is left running, since the agent cannot end one. */
export class GuestCommandTimeout extends Error {
  override name = 'GuestCommandTimeout';
}

interface ExecStatus {
  exited?: boolean;
  exitcode?: number;
  signal?: number;
  'out-data'?: string;
  'err-data'?: string;
  'out-truncated'?: boolean;
  'err-truncated'?: boolean;
}

const SHORTEST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/** Runs a program in the guest and waits for its end (QGA guest-exec, guest-exec-status). No shell is involved. */
export async function execInGuest(
  ask: AskAgent,
  { path, args, timeoutMs }: GuestCommand,
  signal: AbortSignal,
): Promise<GuestCommandEnd> {
  const late = () =>
    new GuestCommandTimeout(`"${path}" has not ended within ${timeoutMs / 1_000} s; it may go on in the guest`);
  const deadline = Date.now() + timeoutMs;
  const leftSeconds = () => Math.max(1, Math.ceil((deadline - Date.now()) / 1_000));
  const started = await ask('guest-exec', leftSeconds(), signal, { path, arg: args, 'capture-output': true });
  const { pid } = parseAnswer(started ?? '{}') as { pid?: number };
  if (pid === undefined) throw new Error('the guest agent does not tell which process it started');
  const look = Math.min(Math.max(SHORTEST_LOOK_MS, timeoutMs / 10), LONGEST_LOOK_MS);
  for (;;) {
    const answer = await ask('guest-exec-status', leftSeconds(), signal, { pid });
    const status = parseAnswer(answer ?? '{}') as ExecStatus;
    if (status.exited) return endOf(status);
    if (signal.aborted || Date.now() + look > deadline) throw late();
    await sleep(look, signal);
  }
}

function endOf(status: ExecStatus): GuestCommandEnd {
  const { exitcode, signal } = status;
  return {
    exitCode: exitcode ?? (signal === undefined ? 0 : 128 + signal),
    ...(signal === undefined ? {} : { signal }),
    stdout: Buffer.from(status['out-data'] ?? '', 'base64'),
    stderr: Buffer.from(status['err-data'] ?? '', 'base64'),
    truncated: status['out-truncated'] === true || status['err-truncated'] === true,
  };
}
