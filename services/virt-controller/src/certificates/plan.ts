/** A certificate as far as its renewal is concerned. Times are milliseconds since the epoch. */
export interface CertificateFacts {
  notBefore: number;
  notAfter: number;
  /** Whether a CA of the present bundle signed it, and its names are the wanted ones. */
  trusted: boolean;
  /** Whether the newest CA signed it. */
  byNewestCa: boolean;
}

const DAY = 24 * 3600_000;
export const CA_LIFETIME_MS = 365 * DAY;
export const LEAF_LIFETIME_MS = 30 * DAY;
/** Certificates are taken for valid by clocks that are this far behind. */
export const BACKDATE_MS = 10 * 60_000;
/** After so much of its life a certificate is made anew. */
const RENEW_AT = 0.8;
/** A new CA signs only once everybody has had the time to learn of it. */
export const CA_SPREAD_MS = 10 * 60_000;

function renewalTime({ notBefore, notAfter }: Pick<CertificateFacts, 'notBefore' | 'notAfter'>): number {
  return notBefore + (notAfter - notBefore) * RENEW_AT;
}

export function caIsDue(ca: Pick<CertificateFacts, 'notBefore' | 'notAfter'> | undefined, now: number): boolean {
  return ca === undefined || now >= renewalTime(ca);
}

/** @param caSince when the newest CA was made, which is later than it says */
export function leafIsDue(leaf: CertificateFacts | undefined, caSince: number, now: number): boolean {
  if (!leaf?.trusted || now >= renewalTime(leaf)) return true;
  return !leaf.byNewestCa && now >= caSince + CA_SPREAD_MS;
}

/** How often to look: the objects may also be changed or made anew by others. */
export const CHECK_MS = 60_000;
/** How often while an installation is not whole: until its webhooks know the authority, nobody can create anything. */
export const INCOMPLETE_CHECK_MS = 500;
