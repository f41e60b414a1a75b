import { spawnSync } from 'node:child_process';

/**
 * What promtool finds wrong in exposed metrics, a line each; throws when it cannot read them at all. The names of Node's
 * own series are not ours.
 */
export function promtoolProblems(exposition: string): string[] {
  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input: exposition,
    encoding: 'utf8',
  });
  if (error) throw error;
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'));
  // 3: it was read, and not all of it is as the rules of style say.
  if (status !== 0 && status !== 3) throw new Error(lines.join('\n'));
  return lines;
}
