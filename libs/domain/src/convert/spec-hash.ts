import { createHash } from 'node:crypto';
import type { Vmi } from '../vmi.ts';

/** SHA-256 over the spec with sorted keys: the same for every order in which a client wrote its fields. */
export function specHash(vmi: Vmi): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(vmi.spec ?? {})))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}
