import type { LauncherEnd } from '@yagura/api';
import type { RunRecord } from './run-record.ts';

/** What the launcher leaves behind of its run when its pod ends. */
export function lastWords(record: RunRecord | undefined, podTerminating: boolean): LauncherEnd {
  const ran = record?.startedAt !== undefined;
  const end = record?.end;
  if (end !== undefined) {
    return { outcome: end.outcome, message: end.message, ran, podTerminating: end.podTerminating === true };
  }
  if (ran)
    return { outcome: 'unobserved', message: 'the launcher ended before its domain was seen to', ran, podTerminating };
  const message = record === undefined ? 'the launcher was given no domain' : 'the domain was never seen to run';
  return { outcome: 'no-domain', message, ran, podTerminating };
}
