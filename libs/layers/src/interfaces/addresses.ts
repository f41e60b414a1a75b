/** IPv4 before IPv6, otherwise in the given order, each once. */
export function byFamily(ips: string[]): string[] {
  const unique = [...new Set(ips)];
  return [...unique.filter((ip) => !ip.includes(':')), ...unique.filter((ip) => ip.includes(':'))];
}

/** 169.254.0.0/16 and fe80::/10. */
export function isLinkLocal(ip: string): boolean {
  return ip.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/i.test(ip);
}
