import { isSubnetOf } from './cidr.ts';
import { findLink, type Link, type Route } from './links.ts';
import { type BridgePlan, NetworkError } from './plan.ts';

/** What the CNI gave to the pod's interface, and the guest takes over. */
export interface Addressing {
  mac: string;
  /** As 10.1.2.3/24. */
  addresses: string[];
  /** IPv4 default gateway. */
  gateway: string | undefined;
  /** IPv4 routes beside the default one and that of the addresses themselves; 0.0.0.0 is the link. */
  routes: { destination: string; gateway: string }[];
}

const MARK = 'yagura';
/** The kernel's limit of an interface's alias. */
const MAX_LENGTH = 255;

/**
 * What the CNI gave, whatever has been done to the interface since: the first thing that is done is to write it into the
 * interface's own alias, where it lives as long as the interface and no file has to be kept or removed.
 * Undefined when the pod has no such interface.
 */
export function addressingOf(
  plan: BridgePlan,
  links: readonly Link[],
  routes: readonly Route[],
): Addressing | undefined {
  const link = findLink(links, plan.port) ?? findLink(links, plan.podInterface);
  if (link?.address === undefined) return undefined;
  return decodeAlias(link.ifalias) ?? fromKernel(link, link.address, routes);
}

function fromKernel(link: Link, mac: string, routes: readonly Route[]): Addressing {
  const addresses = (link.addr_info ?? []).flatMap(({ local, prefixlen, scope }) =>
    local && scope === 'global' ? [`${local}/${prefixlen}`] : [],
  );
  const own = routes.filter(({ dev }) => dev === link.ifname);
  return {
    mac,
    addresses,
    gateway: own.find(({ dst, gateway }) => dst === 'default' && gateway)?.gateway,
    routes: own
      .filter(({ dst }) => dst !== 'default')
      .map(({ dst, gateway }) => ({
        destination: dst.includes('/') ? dst : `${dst}/32`,
        gateway: gateway ?? '0.0.0.0',
      }))
      .filter(({ destination }) => !addresses.some((address) => isSubnetOf(address, destination))),
  };
}

/** One word, so that it needs no quotes. Throws when it is longer than the kernel keeps. */
export function encodeAlias(podInterface: string, { mac, addresses, gateway, routes }: Addressing): string {
  const parts = [mac, addresses.join(), gateway ?? '', routes.map((to) => `${to.destination}>${to.gateway}`).join()];
  const alias = `${MARK};${parts.join(';')}`;
  if (alias.length > MAX_LENGTH) {
    throw new NetworkError(
      `the pod's interface ${podInterface} has more addresses and routes than a guest can take over`,
    );
  }
  return alias;
}

export function decodeAlias(alias: string | undefined): Addressing | undefined {
  const [mark, mac, addresses, gateway, routes] = alias?.split(';') ?? [];
  if (mark !== MARK || !mac || addresses === undefined || routes === undefined) return undefined;
  // It becomes part of commands, whoever wrote it.
  if (!/^[\w.:,;/>]*$/.test(alias ?? '')) return undefined;
  const list = (text: string) => text.split(',').filter((item) => item !== '');
  return {
    mac,
    addresses: list(addresses),
    gateway: gateway || undefined,
    routes: list(routes).map((route) => {
      const [destination = '', via = ''] = route.split('>');
      return { destination, gateway: via };
    }),
  };
}
