import type { VirtualMachineInstance } from '@yagura/api';
import { masqueradeAttachment } from './attachment.ts';
import type { Link } from './links.ts';
import { ipCommands } from './masquerade.ts';
import { renderNft } from './nft.ts';
import { type MasqueradePlan, planNetwork } from './plan.ts';
import { parseResolvConf } from './resolv-conf.ts';

const vmi = (nic: object = {}, network: object = { pod: {} }, spec: object = {}): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'demo', namespace: 'default' },
  spec: {
    domain: { devices: { interfaces: [{ name: 'default', masquerade: {}, ...nic }] } },
    networks: [{ name: 'default', ...network }],
    ...spec,
  },
});
const plan = (nic: object = {}, network?: object): MasqueradePlan => {
  const [first] = planNetwork(vmi(nic, network));
  if (first?.kind !== 'masquerade') throw new Error('no plan');
  return first;
};
const mac = '02:aa:bb:cc:dd:ee';
const eth0: Link = { ifname: 'eth0', address: mac, mtu: 1450, flags: ['UP'] };

test('without listed ports everything is translated', () => {
  expect(renderNft(plan())).toBe(`table ip yagura
delete table ip yagura
table ip yagura {
  chain guard {
    type filter hook prerouting priority raw; policy accept;
    # The guest's own packets never enter the pod's loopback.
    iifname "k6t-eth0" ip daddr 127.0.0.0/8 drop
  }
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    iifname "eth0" dnat to 10.0.2.2
  }
  chain output {
    type nat hook output priority -100; policy accept;
    ip daddr 127.0.0.1 dnat to 10.0.2.2
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr 10.0.2.2 oifname "eth0" masquerade
    ip saddr 127.0.0.1 oifname "k6t-eth0" snat to 10.0.2.1
  }
}
`);
});

test('listed ports are translated by protocol, each once and in order', () => {
  const ports = [{ port: 443 }, { port: 22, protocol: 'TCP' }, { port: 22 }, { port: 53, protocol: 'UDP' }];
  const lines = renderNft(plan({ ports }))
    .split('\n')
    .filter((line) => line.includes('dnat'));
  expect(lines.map((line) => line.trim())).toEqual([
    'iifname "eth0" tcp dport { 22, 443 } dnat to 10.0.2.2',
    'iifname "eth0" udp dport { 53 } dnat to 10.0.2.2',
    'ip daddr 127.0.0.1 tcp dport { 22, 443 } dnat to 10.0.2.2',
    'ip daddr 127.0.0.1 udp dport { 53 } dnat to 10.0.2.2',
  ]);
});

test('an empty namespace gets bridge, tap and neighbour with the MTU of the pod', () => {
  expect(ipCommands([eth0], plan(), mac)).toEqual([
    'link add name k6t-eth0 address 02:00:00:00:00:00 mtu 1450 type bridge',
    'address replace 10.0.2.1/24 dev k6t-eth0',
    'tuntap add dev tap0 mode tap user 107 group 107',
    'link set dev tap0 mtu 1450',
    'link set dev tap0 master k6t-eth0',
    'link set dev tap0 up',
    'link set dev k6t-eth0 up',
    `neighbour replace 10.0.2.2 lladdr ${mac} nud stale dev k6t-eth0`,
  ]);
});

test('what is there already is left alone, and what a crash left half made is finished', () => {
  const bridge = { ifname: 'k6t-eth0', mtu: 1450, flags: ['UP'], addr_info: [{ local: '10.0.2.1', prefixlen: 24 }] };
  const tap = { ifname: 'tap0', mtu: 1450, flags: ['UP'], master: 'k6t-eth0' };
  expect(ipCommands([eth0, bridge, tap], plan(), mac)).toEqual([]);
  expect(ipCommands([eth0, bridge, { ifname: 'tap0', mtu: 1500 }], plan(), mac)).toEqual([
    'link set dev tap0 mtu 1450',
    'link set dev tap0 master k6t-eth0',
    'link set dev tap0 up',
  ]);
});

test.each([
  ['10.0.2.0/24', '10.0.2.1', '10.0.2.2', 24],
  ['192.168.100.64/30', '192.168.100.65', '192.168.100.66', 30],
  ['172.16.5.9/16', '172.16.0.1', '172.16.0.2', 16],
])('of %s the gateway is %s and the guest %s', (vmNetworkCIDR, gateway, guest, prefixLength) => {
  expect(plan({}, { pod: { vmNetworkCIDR } })).toMatchObject({ gateway, guest, prefixLength });
});

test.each([
  [{}, { pod: { vmNetworkCIDR: '10.0.2.0/31' } }, 'vmNetworkCIDR 10.0.2.0/31 is no IPv4 network'],
  [{}, { pod: { vmNetworkCIDR: '300.0.0.0/8' } }, 'vmNetworkCIDR 300.0.0.0/8 is no IPv4 network'],
  [{ macAddress: '02:00\nEND\nreboot' }, { pod: {} }, 'is no MAC address'],
  [{ masquerade: undefined, sriov: {} }, { multus: { networkName: 'x' } }, 'interface default: only masquerade'],
  [{ masquerade: {} }, { pod: undefined, multus: { networkName: 'x' } }, 'interface default: only masquerade'],
  [{ name: 'other' }, { pod: {} }, 'interface other has no network of that name'],
])('what cannot be built is refused by name: %j %j', (nic, network, message) => {
  expect(() => planNetwork(vmi(nic, network))).toThrow(message);
});

test.each([
  ['virtio', ' multi_queue'],
  ['e1000e', ''],
] as const)('several queues need a tap made for several, which only a %s NIC opens', (model, queues) => {
  const devices = { networkInterfaceMultiqueue: true, interfaces: [{ name: 'default', masquerade: {}, model }] };
  const [multi] = planNetwork(vmi({}, { pod: {} }, { domain: { cpu: { cores: 2 }, devices } }));
  if (multi?.kind !== 'masquerade') throw new Error('no plan');
  expect(ipCommands([eth0], multi, mac)).toContain(`tuntap add dev tap0 mode tap user 107 group 107${queues}`);
});

test('the lease tells the guest its address, name and the pod’s DNS', () => {
  const dns = parseResolvConf(
    '# made by kubelet\nsearch default.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\nnameserver fd00::a\noptions ndots:5\n',
  );
  const options = { ntpServers: ['10.1.1.1'], privateOptions: [{ option: 240, value: 'x' }] };
  const it = vmi({ dhcpOptions: options }, { pod: {} }, { subdomain: 'web' });
  expect(masqueradeAttachment(it, plan({ macAddress: '02-AA-00-00-00-01' }), { mac, mtu: 1450 }, dns)).toEqual({
    name: 'default',
    tapDevice: 'tap0',
    macAddress: '02:aa:00:00:00:01',
    mtu: 1450,
    dhcp: {
      bridge: 'k6t-eth0',
      serverAddress: '10.0.2.1',
      guestAddress: '10.0.2.2',
      prefixLength: 24,
      dnsServers: ['10.96.0.10'],
      searchDomains: ['web.default.svc.cluster.local', 'default.svc.cluster.local', 'svc.cluster.local'],
      hostname: 'demo',
      ntpServers: ['10.1.1.1'],
      privateOptions: { 240: 'x' },
    },
  });
});
