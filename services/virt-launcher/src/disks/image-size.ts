/** What the cluster says about images that are made on the filesystem of a claim. */
export interface ImageRules {
  /** Stay free on the filesystem. */
  reservedBytes: bigint;
  /** By so much the image may be smaller than its claim. */
  shortagePercent: number;
}

const SECTOR = 512n;

/**
 * Size of the image on a claim's filesystem: the claim's capacity, or what of it the filesystem leaves, where that is
 * short by no more than is tolerated. Undefined when it is too small.
 */
export function claimImageSize(capacity: bigint, available: bigint, rules: ImageRules): bigint | undefined {
  const usable = available - rules.reservedBytes;
  if (usable >= capacity) return whole(capacity);
  const least = capacity - (capacity * BigInt(rules.shortagePercent)) / 100n;
  return usable >= least && usable > 0n ? whole(usable) : undefined;
}

function whole(bytes: bigint): bigint {
  return (bytes / SECTOR) * SECTOR;
}
