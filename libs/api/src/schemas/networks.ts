import type { Static } from 'typebox';
import { INTERFACE_MODELS, INTERFACE_STATES } from '../words.ts';
import { bool, int32, list, marker, object, oneOf, str, strings } from './build.ts';

export const InterfacePortSchema = object(
  'A port of the guest that is reachable at the address of the pod.',
  { name: str('Name of the port, unique in the list.'), protocol: oneOf('Protocol; TCP if unset.', ['TCP', 'UDP']) },
  { port: int32('Port number, 1 to 65535.') },
);

const DhcpOptionsSchema = object('Extra options of the DHCP answer to the guest.', {
  bootFileName: str('Option 67, boot file.'),
  tftpServerName: str('Option 66, TFTP server.'),
  ntpServers: strings('Option 42, IPv4 addresses of NTP servers.'),
  privateOptions: list(
    'Private options, 224 to 254.',
    object('A private option.', {}, { option: int32('Number, 224 to 254.'), value: str('Value as text.') }),
  ),
});

export const InterfaceSchema = object(
  'A network interface of the guest: a NIC model, and one binding that connects it to the network of the same name.',
  {
    bridge: marker('Binding: the guest takes the address of the pod; bridges layer 2 to the pod network or Multus.'),
    masquerade: marker('Binding: the guest has a private address behind NAT at the address of the pod.'),
    sriov: marker('Binding: a virtual function of an SR-IOV NIC is passed through.'),
    passtBinding: marker('Binding: user-mode networking by passt.'),
    binding: object('Binding by a registered network binding plugin.', {}, { name: str('Name of the plugin.') }),
    slirp: marker('Discontinued binding, refused.'),
    macvtap: marker('Discontinued binding, refused.'),
    passt: marker('Discontinued binding, refused.'),
    model: oneOf('NIC model the guest sees; virtio if unset.', INTERFACE_MODELS),
    macAddress: str('MAC address such as de:ad:00:00:be:af; that of the pod interface if unset.'),
    ports: list('Ports forwarded to the guest with masquerade; all ports if the list is empty.', InterfacePortSchema),
    portRanges: list(
      'Ranges of ports forwarded to the guest.',
      object(
        'A range of ports.',
        { protocol: str('TCP or UDP.') },
        {
          startPort: int32('First port.'),
          endPort: int32('Last port.'),
        },
      ),
    ),
    bootOrder: int32('Position in the boot order, from 1, unique among all devices.'),
    pciAddress: str('Address of the NIC on the PCI bus of the guest, such as 0000:81:01.10.'),
    dhcpOptions: DhcpOptionsSchema,
    tag: str('Tag told to the guest by its metadata.'),
    acpiIndex: int32('ACPI index, from which the guest may derive the name of the interface.'),
    state: oneOf('Wanted state of the link; absent unplugs the interface.', INTERFACE_STATES),
  },
  { name: str('Name of the interface and of the network it is connected to.') },
);
export type Interface = Static<typeof InterfaceSchema>;
export type InterfacePort = Static<typeof InterfacePortSchema>;

export const NetworkSchema = object(
  'A network that an interface of the guest connects to; exactly one type is set.',
  {
    pod: object('The network of the pod.', {
      vmNetworkCIDR: str('IPv4 network of guest and gateway with masquerade; 10.0.2.0/24 if unset.'),
      vmIPv6NetworkCIDR: str('IPv6 network of guest and gateway with masquerade; fd10:0:2::/120 if unset.'),
    }),
    multus: object(
      'A network defined by a NetworkAttachmentDefinition.',
      { default: bool('Makes it the default network of the pod in place of the cluster network.') },
      { networkName: str('Name of the NetworkAttachmentDefinition, as name or namespace/name.') },
    ),
    resourceClaim: object('A network device from dynamic resource allocation.', {
      claimName: str('Name of an entry of resourceClaims.'),
      requestName: str('Name of the request in the claim.'),
    }),
  },
  { name: str('Name of the network, unique in the list.') },
);
export type Network = Static<typeof NetworkSchema>;
