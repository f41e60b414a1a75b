import { spawn } from 'node:child_process';

export interface RunOptions {
  /** Written to standard input. */
  input?: string;
  /** Default 10 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A command that ended with anything but 0; the message holds what it wrote to standard error. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number | null;

  constructor(command: string[], exitCode: number | null, stderr: string) {
    const how = exitCode === null ? 'was killed' : `failed with exit code ${exitCode}`;
    super(`${command.join(' ')} ${how}${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`);
    this.exitCode = exitCode;
  }
}

/** Runs a program, without a shell; answers its standard output. Injected where it is used, so that tests see the calls. */
export type Run = (command: string[], options?: RunOptions) => Promise<string>;

export const run: Run = async (command, options = {}) => {
  const [program = '', ...args] = command;
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 10_000);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  return new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('error', (error) => reject(new Error(`${command.join(' ')}: ${error.message}`, { cause: error })));
    child.on('close', (code) => (code === 0 ? resolve(stdout) : reject(new CommandError(command, code, stderr))));
    // A program that does not read its input is no failure of ours; its exit code tells.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
};
