import type { NodePlan } from './plan.ts';
import { network } from './plan.ts';

export const cniConfigName = '10-yagura.conflist';

/** One bridge a node, addresses of the node's range; other nodes' ranges are routes. The host masquerades, so nodes need not. */
export function renderCni(node: NodePlan): string {
  return `${JSON.stringify(
    {
      cniVersion: '0.4.0',
      name: 'yagura',
      plugins: [
        {
          type: 'bridge',
          bridge: 'cni0',
          isDefaultGateway: true,
          hairpinMode: true,
          ipMasq: false,
          ipam: { type: 'host-local', ranges: [[{ subnet: node.podCidr }]], dataDir: '/var/lib/cni/networks' },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    },
    null,
    2,
  )}\n`;
}

/** What a node's first process does to its network, once its cable (eth0) is plugged in. */
export function nodeNetworkLines(node: NodePlan, nodes: readonly NodePlan[]): string[] {
  return [
    'ip link set lo up',
    `ip addr add ${node.ip}/${network.prefix} dev eth0`,
    'ip link set eth0 up',
    `ip route add default via ${network.hostIp}`,
    ...nodes
      .filter((other) => other.name !== node.name)
      .map((other) => `ip route add ${other.podCidr} via ${other.ip}`),
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    '[ ! -e /proc/sys/net/ipv6/conf/all/forwarding ] || echo 1 > /proc/sys/net/ipv6/conf/all/forwarding',
  ];
}
