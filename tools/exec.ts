import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

export const root = dirname(import.meta.dirname);

/** A program of node_modules/.bin of the workspace's root. */
export const bin = (name: string): string => join(root, 'node_modules/.bin', name);

/** Runs a command in the workspace's root (or `cwd`) with its output shown; resolves to its exit code. */
export async function exec(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`,
        ...options.env,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
