import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { local } from '../e2e/support/cluster.ts';

interface AuditEvent {
  verb: string;
  stageTimestamp: string;
  objectRef?: { resource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
}

/** A write that the API server accepted. */
export interface Write {
  name: string;
  at: number;
}

/** Updates of a namespace's instances in the audit log of the API server; its lines are whole, but the last may not be. */
export function vmiWrites(log: string, namespace: string): Write[] {
  return log
    .split('\n')
    .filter((line) => line.includes(`"namespace":"${namespace}"`) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(
      ({ verb, objectRef, responseStatus }) =>
        objectRef?.resource === 'virtualmachineinstances' &&
        (verb === 'patch' || verb === 'update') &&
        (responseStatus?.code ?? 500) < 300,
    )
    .map(({ objectRef, stageTimestamp }) => ({ name: objectRef?.name ?? '', at: Date.parse(stageTimestamp) }));
}

/** The local cluster's log; undefined in a cluster of another kind. */
export async function auditLog(): Promise<string | undefined> {
  const path = local('logs/audit.log');
  return existsSync(path) ? readFile(path, 'utf8') : undefined;
}
