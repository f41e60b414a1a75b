import type { MessageInitShape } from '@bufbuild/protobuf';
import { hostnameOf, type VirtualMachineInstance } from '@yagura/api';
import type { InterfaceAttachmentSchema } from '@yagura/contracts';
import type { MasqueradePlan } from './plan.ts';
import type { DnsConfig } from './resolv-conf.ts';

export type Attachment = MessageInitShape<typeof InterfaceAttachmentSchema>;

/** What the launcher is told about an interface: its tap, and the one lease that its DHCP server hands out. */
export function attachment(
  vmi: VirtualMachineInstance,
  plan: MasqueradePlan,
  link: { mac: string; mtu: number },
  dns: DnsConfig,
): Attachment {
  const nic = vmi.spec.domain.devices?.interfaces?.find(({ name }) => name === plan.name);
  const { bootFileName, tftpServerName, ntpServers, privateOptions } = nic?.dhcpOptions ?? {};
  return {
    name: plan.name,
    tapDevice: plan.tap,
    macAddress: plan.mac ?? link.mac,
    mtu: link.mtu,
    dhcp: {
      bridge: plan.bridge,
      serverAddress: plan.gateway,
      guestAddress: plan.guest,
      prefixLength: plan.prefixLength,
      dnsServers: dns.servers,
      searchDomains: searchDomains(vmi, dns.search),
      hostname: hostnameOf(vmi),
      ntpServers: ntpServers ?? [],
      ...(tftpServerName ? { tftpServerName } : {}),
      ...(bootFileName ? { bootFileName } : {}),
      privateOptions: Object.fromEntries((privateOptions ?? []).map(({ option, value }) => [option, value])),
    },
  };
}

/** With a subdomain the guest's own domain comes first, so that its full name is that of the pod's DNS record. */
function searchDomains(vmi: VirtualMachineInstance, search: string[]): string[] {
  const cluster = search.find((domain) => domain.startsWith(`${vmi.metadata.namespace}.svc.`));
  return vmi.spec.subdomain && cluster ? [`${vmi.spec.subdomain}.${cluster}`, ...search] : search;
}
