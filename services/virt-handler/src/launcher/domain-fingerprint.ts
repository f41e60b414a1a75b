import type { Domain } from '@yagura/contracts';

/**
 * Everything of a domain that anybody acts upon: all but the times at which things were seen to be as they were, and what
 * is for judging alone.
 */
export function domainFingerprint(domain: Domain | undefined): string {
  if (domain === undefined) return '';
  const { observedAt: _, evidence: _evidence, guestAgent, monitor, ...rest } = domain;
  const told = { ...rest, channel: guestAgent?.channel, silentSince: monitor?.silentSince };
  return JSON.stringify(told, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
