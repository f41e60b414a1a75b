import type { Observation } from '../observation.ts';
import type { RunHead } from './record.ts';

export const START = Date.parse('2026-11-30T12:00:00Z');
export const at = (seconds: number): Date => new Date(START + seconds * 1000);

export const head: RunHead = {
  namespace: 'default',
  name: 'demo',
  uid: 'u-1',
  node: 'node-a',
  startedAt: at(0).toISOString(),
};

/** An observation; by default the state of a domain that libvirt knows to run. */
export function seen(part: Partial<Observation> = {}): Observation {
  return {
    layer: 'domain',
    field: 'state',
    value: 'running',
    source: 'libvirt',
    observedAt: at(0).toISOString(),
    maxAge: 10,
    freshness: 'live',
    ...part,
  };
}
