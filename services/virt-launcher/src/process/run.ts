import { execFile } from 'node:child_process';

/** Thrown when a program ends with anything but 0; the message holds its last words. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

/** Runs a program without a shell and gives its standard output. Killed after `timeoutMs`. */
export async function run(file: string, args: readonly string[], timeoutMs = 10_000): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: timeoutMs, killSignal: 'SIGKILL', encoding: 'utf8' }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const how = error.killed ? `did not end within ${timeoutMs} ms` : `failed`;
      const words = stderr.trim().split('\n').slice(-3).join('; ') || error.message;
      reject(new ProgramError(`${file} ${how}: ${words}`, { cause: error }));
    });
  });
}
