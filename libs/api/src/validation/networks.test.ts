import { causes, D, devices, withInterface } from './testing/causes.ts';

const N = `${D}.interfaces[0]`;
const two = (networks: object[]) => ({
  networks,
  ...devices({
    interfaces: [
      { name: 'n', masquerade: {} },
      { name: 'm', masquerade: {} },
    ],
  }),
});

test.each<[string, object, string]>([
  ['an interface without a network', devices({ interfaces: [{ name: 'n', masquerade: {} }] }), `Invalid ${N}.name`],
  ['a network without an interface', { networks: [{ name: 'n', pod: {} }] }, 'Required spec.networks[0].name'],
  ['a network without a type', { ...withInterface({}), networks: [{ name: 'n' }] }, 'Required spec.networks[0]'],
  ['no binding', withInterface({ masquerade: undefined }), `Invalid ${N}`],
  ['two bindings', withInterface({ bridge: {} }), `Invalid ${N}`],
  ['a discontinued binding', withInterface({ masquerade: undefined, slirp: {} }), `Invalid ${N}.slirp`],
  ['an unknown model', withInterface({ model: 'ne2000' }), `NotSupported ${N}.model`],
  ['a PCI address that is none', withInterface({ pciAddress: '1:2' }), `Invalid ${N}.pciAddress`],
  ['an ACPI index of zero', withInterface({ acpiIndex: 0 }), `Invalid ${N}.acpiIndex`],
  [
    'a range that ends before it begins',
    withInterface({ portRanges: [{ startPort: 9, endPort: 8 }] }),
    `Invalid ${N}.portRanges[0].endPort`,
  ],
  [
    'a range from nowhere',
    withInterface({ portRanges: [{ startPort: 0, endPort: 8 }] }),
    `Invalid ${N}.portRanges[0].startPort`,
  ],
  ['SR-IOV on the pod network', withInterface({ masquerade: undefined, sriov: {} }), `Invalid ${N}.sriov`],
  [
    'the link of an SR-IOV interface',
    withInterface({ masquerade: undefined, sriov: {}, state: 'down' }),
    `Invalid ${N}.state`,
  ],
  [
    'a plugin without a name',
    withInterface({ masquerade: undefined, binding: { name: '' } }),
    `Required ${N}.binding.name`,
  ],
  ['an unknown state', withInterface({ state: 'sideways' }), `NotSupported ${N}.state`],
  ['a primary interface that is absent', withInterface({ state: 'absent' }), `Invalid ${N}.state`],
  [
    'a name with a dot',
    { networks: [{ name: 'n.1', pod: {} }], ...devices({ interfaces: [{ name: 'n.1', masquerade: {} }] }) },
    `Invalid ${N}.name`,
  ],
  ['a MAC of five bytes', withInterface({ macAddress: 'de:ad:00:00:be' }), `Invalid ${N}.macAddress`],
  ['the MAC of the gateway', withInterface({ macAddress: '02-00-00-00-00-00' }), `Invalid ${N}.macAddress`],
  ['no port', withInterface({ ports: [{ port: 0 }] }), `Required ${N}.ports[0].port`],
  ['a port that is too high', withInterface({ ports: [{ port: 65536 }] }), `Invalid ${N}.ports[0].port`],
  [
    'an unknown protocol',
    withInterface({ ports: [{ port: 1, protocol: 'SCTP' }] }),
    `NotSupported ${N}.ports[0].protocol`,
  ],
  [
    'two ports of one name',
    withInterface({
      ports: [
        { name: 'a', port: 1 },
        { name: 'a', port: 2 },
      ],
    }),
    `Duplicate ${N}.ports[1].name`,
  ],
  [
    'an NTP server that is no address',
    withInterface({ dhcpOptions: { ntpServers: ['ntp'] } }),
    `Invalid ${N}.dhcpOptions.ntpServers[0]`,
  ],
  [
    'a private option that is public',
    withInterface({ dhcpOptions: { privateOptions: [{ option: 3, value: 'x' }] } }),
    `Invalid ${N}.dhcpOptions.privateOptions[0].option`,
  ],
  [
    'a network without room',
    withInterface({}, { vmNetworkCIDR: '10.0.2.0/31' }),
    'Invalid spec.networks[0].pod.vmNetworkCIDR',
  ],
  [
    'a second pod network',
    two([
      { name: 'n', pod: {} },
      { name: 'm', pod: {} },
    ]),
    'Duplicate spec.networks[1]',
  ],
  [
    'masquerade elsewhere',
    two([
      { name: 'n', pod: {} },
      { name: 'm', multus: { networkName: 'x' } },
    ]),
    `Invalid ${D}.interfaces[1].masquerade`,
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('ports, addresses and options of all kinds are accepted', () => {
  const nic = {
    macAddress: 'DE-AD-00-00-BE-AF',
    model: 'e1000e',
    ports: [
      { name: 'http', port: 80 },
      { port: 53, protocol: 'UDP' },
    ],
    dhcpOptions: { ntpServers: ['10.0.0.1'], privateOptions: [{ option: 240, value: 'x' }] },
  };
  expect(causes(withInterface(nic, { vmNetworkCIDR: '10.1.0.0/24' }))).toEqual([]);
});
