import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { logs } from './paths.ts';

export interface ExecOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Name of a file in .local/logs that gets all output, for commands that talk much. */
  readonly log?: string;
}

export class CommandError extends Error {
  readonly command: string;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  constructor(command: string, code: number | null, stdout: string, stderr: string, log: string | undefined) {
    const tail = (stderr.trim() || stdout.trim()).split('\n').slice(-8).join('\n');
    super(
      `${command}: exit code ${code}${tail === '' ? '' : `\n${tail}`}${log === undefined ? '' : `\n(all of it: .local/logs/${log})`}`,
    );
    this.name = 'CommandError';
    this.command = command;
    this.code = code;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** Runs a command to its end and answers its standard output. Aborting ends it with SIGTERM. */
export async function exec(
  command: string,
  args: readonly string[],
  options: ExecOptions = {},
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  if (options.log !== undefined) await mkdir(logs, { recursive: true });
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
    });
    const file = options.log === undefined ? undefined : createWriteStream(join(logs, options.log), { flags: 'a' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      file?.write(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      file?.write(text);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.on('error', (error: NodeJS.ErrnoException) => {
      file?.end();
      if (error.code === 'ENOENT')
        reject(new Error(`${command}: not found (PATH=${(options.env ?? process.env)['PATH']})`));
      else reject(error);
    });
    child.on('close', (code) => {
      file?.end();
      if (code === 0) resolve(stdout);
      else reject(new CommandError([command, ...args].join(' '), code, stdout, stderr, options.log));
    });
  });
}

/** The same, for a command whose failure is an answer: undefined then. */
export async function tryExec(
  command: string,
  args: readonly string[],
  options: ExecOptions = {},
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    return await exec(command, args, options, signal);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
