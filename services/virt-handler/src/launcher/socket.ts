import { lstat } from 'node:fs/promises';
import { sleep } from '@yagura/runtime';

const POLL_MS = 20;

/**
 * Waits for a launcher's socket. The directory is the pod's to write, so a link in the socket's place is not followed:
 * it could lead to any server on the node.
 */
export async function waitForSocket(path: string, signal: AbortSignal): Promise<void> {
  for (let waits = 0; !signal.aborted; waits++) {
    if (await isSocket(path)) return;
    // Close at first, when a pod is just starting; seldom for one whose launcher does not come.
    await sleep(waits < 3_000 ? POLL_MS : 1_000, signal);
  }
}

export async function isSocket(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSocket(),
    () => false,
  );
}
