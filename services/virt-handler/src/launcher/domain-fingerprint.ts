import type { Domain } from '@yagura/contracts';

/** Everything of a domain that anybody acts upon: all but the times at which things were seen to be as they were. */
export function domainFingerprint(domain: Domain | undefined): string {
  if (domain === undefined) return '';
  const { observedAt: _, guestAgent, ...rest } = domain;
  return JSON.stringify({ ...rest, channel: guestAgent?.channel }, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}
