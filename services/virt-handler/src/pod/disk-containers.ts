import { readFile } from 'node:fs/promises';
import { COMPUTE_CONTAINER, type Pod } from '@yagura/api';
import { computeEnd, runningContainer } from './launcher-pod.ts';
import type { ContainerProcesses } from './processes.ts';

const HELPER = 'container-disk';

/**
 * Ends the containers of disk images once the launcher has ended: nobody else would, and until they end the pod does
 * not complete. Only our own helper is signalled.
 */
export async function endDiskContainers(
  pod: Pod,
  processes: Pick<ContainerProcesses, 'find'>,
  kill: (pid: number, signal: 'SIGTERM') => void = process.kill,
): Promise<void> {
  if (computeEnd(pod) === undefined) return;
  for (const { name } of pod.spec.containers) {
    const id = name === COMPUTE_CONTAINER ? undefined : runningContainer(pod, name);
    const pid = id === undefined ? undefined : await processes.find(id);
    if (pid === undefined) continue;
    const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (command.trim() === HELPER) kill(pid, 'SIGTERM');
  }
}
