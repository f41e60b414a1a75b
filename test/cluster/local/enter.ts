import type { ExecOptions } from '../exec.ts';
import { exec } from '../exec.ts';
import { runningProcess } from './processes.ts';

/** Runs a command inside a node: in all its namespaces. */
export async function inNode(
  node: string,
  command: readonly string[],
  options: ExecOptions = {},
  signal?: AbortSignal,
): Promise<string> {
  const pid = await runningProcess(node);
  if (pid === undefined) throw new Error(`${node} does not run`);
  return exec('nsenter', ['-t', String(pid), '-m', '-u', '-i', '-n', '-p', '-C', '--', ...command], options, signal);
}
