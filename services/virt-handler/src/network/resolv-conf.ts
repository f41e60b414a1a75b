/** What a guest is told about DNS, from a pod's resolv.conf. */
export interface DnsConfig {
  servers: string[];
  search: string[];
}

/** The last `search` or `domain` line counts, as in the resolver; IPv6 servers are of no use to DHCPv4. */
export function parseResolvConf(text: string): DnsConfig {
  const config: DnsConfig = { servers: [], search: [] };
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'nameserver' && values[0] !== undefined && !values[0].includes(':')) config.servers.push(values[0]);
    if (keyword === 'search' || keyword === 'domain') config.search = values.filter((value) => value !== '.');
  }
  return config;
}
