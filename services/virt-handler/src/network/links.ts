/** An entry of `ip -json -details address show` or `link show`, as far as it is used. */
export interface Link {
  ifname: string;
  ifalias?: string;
  address?: string;
  mtu: number;
  master?: string;
  flags?: string[];
  addr_info?: { local?: string; prefixlen?: number; scope?: string }[];
  /** With `-statistics`. */
  stats64?: { rx: LinkCounters; tx: LinkCounters };
}

interface LinkCounters {
  bytes: number;
  errors: number;
  dropped: number;
}

/** An entry of `ip -json -4 route show`, as far as it is used. */
export interface Route {
  /** "default", an address or a network. */
  dst: string;
  gateway?: string;
  dev?: string;
}

export function findLink(links: readonly Link[], name: string): Link | undefined {
  return links.find(({ ifname }) => ifname === name);
}

export function isUp(link: Link | undefined): boolean {
  return link?.flags?.includes('UP') ?? false;
}

/** Addresses of a link as 10.1.2.3/24. */
export function addressesOf(link: Link | undefined): string[] {
  return (link?.addr_info ?? []).flatMap(({ local, prefixlen }) => (local ? [`${local}/${prefixlen}`] : []));
}
