import type { VirtualMachineInstance } from '@yagura/api';
import fc from 'fast-check';
import { type Addressing, addressingOf, decodeAlias, encodeAlias } from './addressing.ts';
import { bridgeAttachment } from './attachment.ts';
import { bridgeSteps, removalSteps } from './bridge.ts';
import type { Link, Route } from './links.ts';
import { type BridgePlan, planNetwork, planRemovals } from './plan.ts';
import { renderScript } from './script.ts';

const vmi = (network: object = { pod: {} }, nic: object = {}): VirtualMachineInstance => ({
  metadata: { name: 'demo', namespace: 'default' },
  spec: {
    domain: { devices: { interfaces: [{ name: 'default', bridge: {}, ...nic }] } },
    networks: [{ name: 'default', ...network }],
  },
});
const planOf = (...args: Parameters<typeof vmi>): BridgePlan => {
  const [plan] = planNetwork(vmi(...args));
  if (plan?.kind !== 'bridge') throw new Error('no plan');
  return plan;
};
const mac = '0a:58:0a:f4:01:05';
const eth0: Link = {
  ifname: 'eth0',
  address: mac,
  mtu: 1450,
  flags: ['UP'],
  addr_info: [
    { local: '10.244.1.5', prefixlen: 24, scope: 'global' },
    { local: 'fe80::858:aff:fef4:105', prefixlen: 64, scope: 'link' },
  ],
};
const routes: Route[] = [
  { dst: 'default', gateway: '10.244.1.1', dev: 'eth0' },
  { dst: '10.244.0.0/16', gateway: '10.244.1.1', dev: 'eth0' },
  { dst: '10.244.1.0/24', dev: 'eth0' },
  { dst: '192.168.9.0/24', dev: 'other' },
];
const given: Addressing = {
  mac,
  addresses: ['10.244.1.5/24'],
  gateway: '10.244.1.1',
  routes: [{ destination: '10.244.0.0/16', gateway: '10.244.1.1' }],
};
const alias = 'yagura;0a:58:0a:f4:01:05;10.244.1.5/24;10.244.1.1;10.244.0.0/16>10.244.1.1';

test('a pod’s interface becomes a port of the bridge, and its address moves to one that leads nowhere', () => {
  expect(renderScript(bridgeSteps([eth0], planOf(), given))).toBe(`ip -batch - <<'END'
link set dev eth0 alias ${alias}
link set dev eth0 down
link set dev eth0 name eth0-nic
link set dev eth0-nic address 02:db:5e:11:d5:7f
address flush dev eth0-nic
link add name k6t-eth0 address 02:db:5e:11:d5:7f mtu 1450 type bridge
address replace 169.254.75.10/32 dev k6t-eth0
link set dev eth0-nic master k6t-eth0
link add name eth0 address ${mac} mtu 1450 type veth peer name eth0-end
address replace 10.244.1.5/24 dev eth0 noprefixroute
END
[ ! -e /proc/sys/net/ipv4/conf/k6t-eth0/arp_ignore ] || echo 1 > /proc/sys/net/ipv4/conf/k6t-eth0/arp_ignore
[ ! -e /proc/sys/net/ipv6/conf/k6t-eth0/disable_ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/k6t-eth0/disable_ipv6
[ ! -e /proc/sys/net/ipv6/conf/eth0-nic/disable_ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/eth0-nic/disable_ipv6
ip -batch - <<'END'
tuntap add dev tap0 mode tap user 107 group 107
link set dev tap0 mtu 1450
link set dev tap0 master k6t-eth0
link set dev tap0 up
END
[ ! -e /proc/sys/net/ipv6/conf/tap0/disable_ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/tap0/disable_ipv6
ip -batch - <<'END'
link set dev eth0-nic up
link set dev k6t-eth0 up
END
`);
});

test('what the CNI gave is read from the kernel once, then from the interface’s alias', () => {
  expect(addressingOf(planOf(), [eth0], routes)).toEqual(given);
  const port = { ifname: 'eth0-nic', ifalias: alias, address: '02:db:5e:11:d5:7f', mtu: 1450 };
  expect(addressingOf(planOf(), [port], [])).toEqual(given);
  expect(addressingOf(planOf(), [], [])).toBeUndefined();
});

test('a gateway that is no neighbour is reached through the link', () => {
  const alone = { ...eth0, addr_info: [{ local: '10.1.2.3', prefixlen: 32, scope: 'global' }] };
  const onLink = [
    { dst: 'default', gateway: '169.254.1.1', dev: 'eth0' },
    { dst: '169.254.1.1', dev: 'eth0' },
  ];
  expect(addressingOf(planOf(), [alone], onLink)?.routes).toEqual([
    { destination: '169.254.1.1/32', gateway: '0.0.0.0' },
  ]);
});

test('an alias gives back what was written into it, and one that is too long is refused', () => {
  const address = fc.ipV4();
  const addressing = fc.record({
    mac: fc.constant(mac),
    addresses: fc.array(
      address.map((ip) => `${ip}/24`),
      { maxLength: 3 },
    ),
    gateway: fc.option(address, { nil: undefined }),
    routes: fc.array(fc.record({ destination: address.map((ip) => `${ip}/8`), gateway: address }), { maxLength: 3 }),
  });
  fc.assert(fc.property(addressing, (value) => expect(decodeAlias(encodeAlias('eth0', value))).toEqual(value)));
  const many = Array.from({ length: 20 }, () => ({ destination: '10.0.0.0/8', gateway: '10.0.0.1' }));
  expect(() => encodeAlias('eth0', { ...given, routes: many })).toThrow('more addresses and routes');
  expect(decodeAlias('somebody’s own words')).toBeUndefined();
  expect(decodeAlias(`${alias}\nEND\ntouch /x`)).toBeUndefined();
});

test('every name fits into what the kernel takes', () => {
  const plan = planOf({ multus: { networkName: 'lan' } });
  expect(plan).toMatchObject({ podInterface: 'pod37a8eec1ce1', bridge: 'k6t-37a8eec1ce1', tap: 'tap37a8eec1ce1' });
  for (const name of [plan.podInterface, plan.port, plan.bridge, plan.tap, plan.holderEnd])
    expect(name.length).toBeLessThan(16);
});

test('a network that has no addresses gets no DHCP, and nothing that holds them', () => {
  const plan = planOf({ multus: { networkName: 'lan' } });
  const bare: Addressing = { mac, addresses: [], gateway: undefined, routes: [] };
  const link = { ifname: plan.podInterface, address: mac, mtu: 1500 };
  expect(renderScript(bridgeSteps([link], plan, bare))).not.toMatch(/veth|flush/);
  expect(bridgeAttachment(vmi(), plan, bare, 1500, { servers: [], search: [] })).toEqual({
    name: 'default',
    tapDevice: plan.tap,
    macAddress: mac,
    mtu: 1500,
  });
});

test('the lease holds the pod’s address and routes, and the cluster’s DNS only on the pod’s own network', () => {
  const dns = { servers: ['10.96.0.10'], search: ['svc.cluster.local'] };
  const lease = (network: object) => bridgeAttachment(vmi(network), planOf(network), given, 1450, dns).dhcp;
  expect(lease({ pod: {} })).toMatchObject({
    bridge: 'k6t-eth0',
    serverAddress: '169.254.75.10',
    guestAddress: '10.244.1.5',
    prefixLength: 24,
    dnsServers: ['10.96.0.10'],
    routing: { router: '10.244.1.1', routes: given.routes },
  });
  expect(lease({ multus: { networkName: 'lan' } })).toMatchObject({ dnsServers: [], searchDomains: [] });
});

test('what is unplugged is given back to the CNI under its old name', () => {
  const absent = vmi({ multus: { networkName: 'lan' } }, { state: 'absent' });
  expect(planNetwork(absent)).toEqual([]);
  const [plan] = planRemovals(absent);
  if (plan === undefined) throw new Error('no plan');
  const links = [plan.tap, plan.bridge, plan.port, plan.podInterface].map((ifname) => ({ ifname, mtu: 1500 }));
  expect(removalSteps(links, plan)).toEqual([
    {
      ip: [
        `link delete dev ${plan.tap}`,
        `link delete dev ${plan.bridge}`,
        `link delete dev ${plan.podInterface}`,
        `link set dev ${plan.port} down`,
        `link set dev ${plan.port} name ${plan.podInterface}`,
      ],
    },
  ]);
  expect(removalSteps([{ ifname: plan.podInterface, mtu: 1500 }], plan)).toEqual([{ ip: [] }]);
});
