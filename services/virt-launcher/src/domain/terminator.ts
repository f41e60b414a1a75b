import { readFile } from 'node:fs/promises';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import type { LibvirtLink } from '../libvirt/link.ts';
import { isActive } from './observer.ts';
import type { RunRecordFile } from './run-record.ts';
import type { DomainStopper } from './stop.ts';
import type { Observed } from './view.ts';

export interface TerminatorDependencies {
  link: LibvirtLink;
  record: RunRecordFile;
  stopper: DomainStopper;
  observed: () => Observed;
  look: () => Promise<void>;
  log: Logger;
  /** Seconds the guest has, by the pod; else by the domain. */
  gracePeriodSeconds: number | undefined;
  /** File with the second in which the pod was told to end. */
  terminatingFile: string;
  /** There is no domain to wait for. */
  onNoDomain: () => void;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Between two requests: a guest that was still booting missed the first. */
const ASK_AGAIN_MS = 5_000;
const POLL_MS = 100;

/**
 * Shuts the guest down within its grace period because the pod ends, with no virt-handler needed. Begins again where it
 * was when the launcher is restarted on the way.
 */
export async function terminate(deps: TerminatorDependencies): Promise<void> {
  const { link, record, log } = deps;
  await link.whenConnected(CONNECT_TIMEOUT_MS).catch(() => undefined);
  await deps.look();
  if (record.record?.end !== undefined) return;
  if (record.record === undefined || !mayBeActive(deps.observed())) {
    deps.onNoDomain();
    return;
  }
  const grace = deps.gracePeriodSeconds ?? graceOf(deps.observed());
  const deadline = (await terminatingSince(deps.terminatingFile)) + grace * 1000;
  log.info({ graceSeconds: grace }, 'shutting the guest down');
  await askUntil(deadline, deps);
  if (record.record?.end === undefined) {
    await deps.stopper.kill(grace === 0 ? 'killed: the grace period is zero' : outOfGrace(grace));
  }
}

function outOfGrace(seconds: number): string {
  return `killed: the guest did not shut down within its grace period of ${seconds} s`;
}

async function askUntil(deadline: number, deps: TerminatorDependencies): Promise<void> {
  let next = 0;
  while (deps.record.record?.end === undefined && Date.now() < deadline) {
    if (Date.now() >= next) {
      next = Date.now() + ASK_AGAIN_MS;
      await deps.stopper
        .requestShutdown()
        .catch((error: unknown) => deps.log.info({ error: errorMessage(error) }, 'cannot ask the guest to shut down'));
    }
    await sleep(Math.min(POLL_MS, Math.max(0, deadline - Date.now())));
  }
}

/** Unknown is not dead: with libvirt away there may well be a domain. */
function mayBeActive(observed: Observed): boolean {
  return observed.kind === 'unknown' || (observed.kind === 'defined' && isActive(observed.state));
}

function graceOf(observed: Observed): number {
  return (observed.kind === 'defined' ? observed.live?.metadata?.gracePeriodSeconds : undefined) ?? 30;
}

/** Milliseconds since the epoch. */
async function terminatingSince(file: string): Promise<number> {
  const seconds = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  return Number.isFinite(seconds) ? seconds * 1000 : Date.now();
}
