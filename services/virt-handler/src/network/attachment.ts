import type { MessageInitShape } from '@bufbuild/protobuf';
import { hostnameOf, PRIMARY_POD_INTERFACE, type VirtualMachineInstance } from '@yagura/api';
import type { InterfaceAttachmentSchema } from '@yagura/contracts';
import type { Addressing } from './addressing.ts';
import type { BridgePlan, MasqueradePlan, Plan } from './plan.ts';
import type { DnsConfig } from './resolv-conf.ts';

export type Attachment = MessageInitShape<typeof InterfaceAttachmentSchema>;

/** What the launcher is told about an interface behind NAT: its tap, and the one lease that its DHCP server hands out. */
export function masqueradeAttachment(
  vmi: VirtualMachineInstance,
  plan: MasqueradePlan,
  link: { mac: string; mtu: number },
  dns: DnsConfig,
): Attachment {
  const { bridge, gateway, guest, prefixLength } = plan;
  const lease = { bridge, serverAddress: gateway, guestAddress: guest, prefixLength };
  return { ...nicOf(plan, link), dhcp: { ...lease, ...told(vmi, plan.name, dns) } };
}

/** The same of a bridged one. Without an address of the CNI's the guest is left to what its network offers. */
export function bridgeAttachment(
  vmi: VirtualMachineInstance,
  plan: BridgePlan,
  given: Addressing,
  mtu: number,
  dns: DnsConfig,
): Attachment {
  const nic = nicOf(plan, { mac: given.mac, mtu });
  const [guestAddress, length] = given.addresses.find((address) => !address.includes(':'))?.split('/') ?? [];
  if (guestAddress === undefined) return nic;
  const lease = { bridge: plan.bridge, serverAddress: plan.address, guestAddress, prefixLength: Number(length) };
  const routing = { ...(given.gateway ? { router: given.gateway } : {}), routes: given.routes };
  // The cluster's DNS is reached through the pod's own network alone.
  const known = plan.podInterface === PRIMARY_POD_INTERFACE ? dns : { servers: [], search: [] };
  return { ...nic, dhcp: { ...lease, ...told(vmi, plan.name, known), routing } };
}

function nicOf({ name, tap, mac }: Plan, link: { mac: string; mtu: number }) {
  return { name, tapDevice: tap, macAddress: mac ?? link.mac, mtu: link.mtu };
}

/** What the guest is told beside its address. */
function told(vmi: VirtualMachineInstance, name: string, dns: DnsConfig) {
  const nic = vmi.spec.domain.devices?.interfaces?.find((each) => each.name === name);
  const { bootFileName, tftpServerName, ntpServers, privateOptions } = nic?.dhcpOptions ?? {};
  return {
    dnsServers: dns.servers,
    searchDomains: searchDomains(vmi, dns.search),
    hostname: hostnameOf(vmi),
    ntpServers: ntpServers ?? [],
    ...(tftpServerName ? { tftpServerName } : {}),
    ...(bootFileName ? { bootFileName } : {}),
    privateOptions: Object.fromEntries((privateOptions ?? []).map(({ option, value }) => [option, value])),
  };
}

/** With a subdomain the guest's own domain comes first, so that its full name is that of the pod's DNS record. */
function searchDomains(vmi: VirtualMachineInstance, search: string[]): string[] {
  const cluster = search.find((domain) => domain.startsWith(`${vmi.metadata.namespace}.svc.`));
  return vmi.spec.subdomain && cluster ? [`${vmi.spec.subdomain}.${cluster}`, ...search] : search;
}
