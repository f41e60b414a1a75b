import { eventually } from './eventually.ts';
import { askAgent, type PodObject } from './machines.ts';

interface ExecStatus {
  exited: boolean;
  exitcode?: number;
  'out-data'?: string;
  'err-data'?: string;
}

/** A shell command in the guest, through its agent, which must succeed; answers what it printed. */
export async function inGuest(pod: PodObject, command: string, timeoutMs = 20_000): Promise<string> {
  const { pid } = await askAgent<{ pid: number }>(pod, {
    execute: 'guest-exec',
    arguments: { path: '/bin/sh', arg: ['-c', command], 'capture-output': true },
  });
  const status = await eventually(`"${command}" ends in the guest`, timeoutMs, async () => {
    const answer = await askAgent<ExecStatus>(pod, { execute: 'guest-exec-status', arguments: { pid } });
    return answer.exited && answer;
  });
  const text = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();
  if (status.exitcode !== 0) {
    throw new Error(`"${command}" ended with ${status.exitcode} in the guest: ${text(status['err-data']).trim()}`);
  }
  return text(status['out-data']);
}
