import { addressBytes, OPTION } from './packet.ts';

/** The one lease of an interface, and to whom it belongs. */
export interface Lease {
  /** Of the guest's NIC, in lower case. */
  macAddress: string;
  /** Address of the bridge: the DHCP server, and the gateway of a guest behind NAT. */
  serverAddress: string;
  guestAddress: string;
  prefixLength: number;
  mtu?: number;
  dnsServers: readonly string[];
  searchDomains: readonly string[];
  hostname?: string;
  ntpServers: readonly string[];
  tftpServerName?: string;
  bootFileName?: string;
  /** Options 224 to 254, as text. */
  privateOptions: Readonly<Record<number, string>>;
  /** Of a guest that is on the pod's own network instead of behind NAT. */
  routing?: Routing;
}

export interface Routing {
  router?: string;
  /** Beside the one through the router; the gateway is 0.0.0.0 for what is on the link itself. */
  routes: readonly { destination: string; gateway: string }[];
}

/** RFC 2131: a lease that never ends, so that no server is needed to keep it. */
const INFINITE = Buffer.from([0xff, 0xff, 0xff, 0xff]);

type Option = readonly [code: number, value: Buffer];

/** What every client may know, lease or not. Values that this product cannot encode (IPv6 DNS servers) are left out. */
export function networkOptions(lease: Lease): Option[] {
  const options: Option[] = [
    [OPTION.serverIdentifier, addressBytes(lease.serverAddress)],
    [OPTION.subnetMask, mask(lease.prefixLength)],
  ];
  const add = (code: number, value: Buffer | undefined) => {
    if (value !== undefined && value.length > 0) options.push([code, value]);
  };
  const router = lease.routing ? lease.routing.router : lease.serverAddress;
  add(OPTION.router, router === undefined ? undefined : addressBytes(router));
  add(OPTION.classlessStaticRoute, classlessRoutes(lease));
  add(OPTION.domainNameServer, addresses(lease.dnsServers));
  add(OPTION.hostName, text(lease.hostname));
  add(OPTION.domainName, text(lease.searchDomains[0]));
  add(OPTION.domainSearch, Buffer.concat(lease.searchDomains.map(domainName)));
  add(OPTION.interfaceMtu, lease.mtu ? uint16(lease.mtu) : undefined);
  add(OPTION.ntpServers, addresses(lease.ntpServers));
  add(OPTION.tftpServerName, text(lease.tftpServerName));
  add(OPTION.bootFileName, text(lease.bootFileName));
  for (const [code, value] of Object.entries(lease.privateOptions)) {
    if (Number(code) >= 224 && Number(code) <= 254) add(Number(code), text(value));
  }
  return options;
}

export function leaseOptions(lease: Lease): Option[] {
  return [[OPTION.leaseTime, INFINITE], ...networkOptions(lease)];
}

/** RFC 3442. A client that reads it ignores the router's option, so with any route the default one is told here too. */
function classlessRoutes({ routing, guestAddress, prefixLength }: Lease): Buffer | undefined {
  if (routing === undefined) return undefined;
  const { router, routes } = routing;
  const all = [...routes];
  if (router !== undefined) {
    if (!inSubnet(router, guestAddress, prefixLength) && !routes.some(({ destination }) => covers(destination, router)))
      all.push({ destination: `${router}/32`, gateway: '0.0.0.0' });
    if (all.length > 0) all.push({ destination: '0.0.0.0/0', gateway: router });
  }
  return Buffer.concat(
    all.flatMap(({ destination, gateway }) => {
      const [network = '0.0.0.0', length = '32'] = destination.split('/');
      const significant = addressBytes(network).subarray(0, Math.ceil(Number(length) / 8));
      return [Buffer.of(Number(length)), significant, addressBytes(gateway)];
    }),
  );
}

function covers(destination: string, address: string): boolean {
  const [network = '', length = '32'] = destination.split('/');
  return inSubnet(address, network, Number(length));
}

function inSubnet(address: string, network: string, prefixLength: number): boolean {
  const bits = mask(prefixLength).readUInt32BE();
  const masked = (text: string) => (addressBytes(text).readUInt32BE() & bits) >>> 0;
  return masked(address) === masked(network);
}

function text(value: string | undefined): Buffer | undefined {
  return value ? Buffer.from(value, 'utf8') : undefined;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function addresses(list: readonly string[]): Buffer {
  return Buffer.concat(list.filter((address) => !address.includes(':')).map(addressBytes));
}

export function mask(prefixLength: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(prefixLength === 0 ? 0 : (0xffffffff << (32 - prefixLength)) >>> 0);
  return bytes;
}

/** A name as DNS writes it (RFC 1035, 3.1), uncompressed. */
function domainName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const parts = labels.flatMap((label) => [Buffer.of(Buffer.byteLength(label)), Buffer.from(label)]);
  return Buffer.concat([...parts, Buffer.of(0)]);
}
