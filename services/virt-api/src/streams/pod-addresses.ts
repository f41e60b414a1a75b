import { BlockList, isIP, isIPv6 } from 'node:net';
import { ANNOTATIONS } from '@yagura/api';
import type { KubeObject } from '@yagura/kube';
import { StatusError } from '../http/status.ts';

/** What of a launcher pod tells its addresses. */
export interface AddressedPod extends KubeObject {
  status?: { podIPs?: { ip: string }[] };
}

/**
 * Refuses an address that the guest alone claims to have: whoever is root in it can claim any, and it would be virt-api that
 * dials it. The pod's addresses are the word of the cluster's network, those of its other networks that of Multus.
 */
export function checkAddressOfPod(address: string, pods: readonly AddressedPod[]): void {
  const known = new BlockList();
  for (const ip of pods.flatMap((pod) => [...ownAddresses(pod), ...multusAddresses(pod)]))
    known.addAddress(ip, family(ip));
  if (known.check(address, family(address))) return;
  throw new StatusError(
    400,
    `VMI has ${address} on its first network interface, which is no address of its pod: only the guest says that it has it`,
  );
}

const family = (ip: string) => (isIPv6(ip) ? 'ipv6' : 'ipv4');

function ownAddresses({ status }: AddressedPod): string[] {
  return (status?.podIPs ?? []).map(({ ip }) => ip);
}

function multusAddresses({ metadata }: AddressedPod): string[] {
  try {
    const told: unknown = JSON.parse(metadata?.annotations?.[ANNOTATIONS.multusNetworkStatus] ?? '[]');
    if (!Array.isArray(told)) return [];
    return (told as { ips?: unknown }[]).flatMap(({ ips }) =>
      Array.isArray(ips) ? ips.filter((ip): ip is string => typeof ip === 'string' && isIP(ip) !== 0) : [],
    );
  } catch {
    return [];
  }
}
