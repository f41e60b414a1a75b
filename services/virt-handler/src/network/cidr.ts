/** First and second host of an IPv4 network; undefined for what is none, or has no room for two. */
export function firstHosts(cidr: string): { addresses: [string, string]; prefixLength: number } | undefined {
  const parsed = parseCidr(cidr);
  if (parsed === undefined || parsed.prefixLength > 30) return undefined;
  const network = networkOf(parsed);
  return { addresses: [dotted(network + 1), dotted(network + 2)], prefixLength: parsed.prefixLength };
}

/** Whether an IPv4 address such as 10.1.2.3/16 is within a network such as 10.1.0.0/16. */
export function isSubnetOf(address: string, network: string): boolean {
  const [one, other] = [parseCidr(address), parseCidr(network)];
  if (one === undefined || other === undefined || one.prefixLength !== other.prefixLength) return false;
  return networkOf(one) === networkOf(other);
}

function parseCidr(cidr: string): { address: number; prefixLength: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  const [a = 256, b = 256, c = 256, d = 256, prefixLength = 33] = match?.slice(1).map(Number) ?? [];
  if ([a, b, c, d].some((part) => part > 255) || prefixLength > 32) return undefined;
  return { address: a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d, prefixLength };
}

function networkOf({ address, prefixLength }: { address: number; prefixLength: number }): number {
  return address - (address % 2 ** (32 - prefixLength));
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');
}
