import { join } from 'node:path';
import { logs } from '../paths.ts';
import { pkiFile } from './certs.ts';
import { cniBinDir } from './containerd.ts';
import type { NodePlan } from './plan.ts';
import { apiUrl, network } from './plan.ts';
import type { Service } from './s6.ts';

/** The stand-in for Multus, and the user it is to the API server. */
export const networksPlugin = 'yagura-networks';
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
        {
          type: networksPlugin,
          kubernetes: {
            server: apiUrl,
            ca: pkiFile('ca', 'crt'),
            cert: pkiFile(networksPlugin, 'crt'),
            key: pkiFile(networksPlugin, 'key'),
          },
          stateDir: `/var/lib/cni/${networksPlugin}`,
        },
      ],
    },
    null,
    2,
  )}\n`;
}

/** Attaches running pods to networks that are added to their annotations, as Multus' dynamic networks controller does. */
export function networksService(node: NodePlan): Service {
  return {
    name: networksPlugin,
    log: join(logs, `${node.name}-${networksPlugin}.log`),
    command: [join(cniBinDir, networksPlugin), 'watch', join('/etc/cni/net.d', cniConfigName), node.name],
  };
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
    // A bridge for secondary networks, on the Ethernet that all nodes share.
    'ip link add br-lan type bridge',
    'ip link set eth1 master br-lan up',
    'ip link set br-lan up',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    '[ ! -e /proc/sys/net/ipv6/conf/all/forwarding ] || echo 1 > /proc/sys/net/ipv6/conf/all/forwarding',
  ];
}
