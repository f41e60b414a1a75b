import { exec, tryExec } from '../exec.ts';
import { readText } from '../files.ts';
import type { NodePlan } from './plan.ts';
import { network } from './plan.ts';

/** Pods and nodes get out through the host; an own table, so that it goes as one. */
export const nftTable = 'yagura-local';
export const nftRules = `table ip ${nftTable}
delete table ip ${nftTable}
table ip ${nftTable} {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ip saddr { ${network.nodes}, ${network.pods} } oifname != "${network.bridge}" masquerade
  }
}
`;

/** Rules for a machine whose FORWARD chain drops by default (Docker sets that). */
export const forwardRules: readonly (readonly string[])[] = ['-i', '-o'].map((side) => [
  'FORWARD',
  side,
  'ygr+',
  '-m',
  'comment',
  '--comment',
  nftTable,
  '-j',
  'ACCEPT',
]);

async function conflictingRoute(): Promise<string | undefined> {
  const routes =
    (await exec('ip', ['-4', 'route', 'show', 'root', network.nodes])).trim() ||
    (await exec('ip', ['-4', 'route', 'show', 'root', network.pods])).trim();
  return routes.split('\n').find((route) => route !== '' && !route.includes(` dev ${network.bridge} `));
}

export async function ensureBridge(nodes: readonly NodePlan[]): Promise<void> {
  const conflict = await conflictingRoute();
  if (conflict !== undefined)
    throw new Error(
      `the cluster's addresses (${network.nodes}, ${network.pods}) are in use on this machine: ${conflict}`,
    );
  for (const { name, mac } of [
    { name: network.bridge, mac: network.bridgeMac },
    { name: network.lanBridge, mac: network.lanBridgeMac },
  ]) {
    if ((await readText(`/sys/class/net/${name}/ifindex`)) === undefined)
      await exec('ip', ['link', 'add', name, 'type', 'bridge']);
    await exec('ip', ['link', 'set', name, 'address', mac, 'up']);
  }
  await exec('ip', ['addr', 'replace', `${network.hostIp}/${network.prefix}`, 'dev', network.bridge]);
  for (const node of nodes) await exec('ip', ['route', 'replace', node.podCidr, 'via', node.ip, 'dev', network.bridge]);
  await exec('nft', ['-f', '-'], { input: nftRules });
  const forward = await tryExec('iptables', ['-S', 'FORWARD']);
  if (forward?.includes('-P FORWARD DROP') === true) {
    for (const rule of forwardRules)
      if ((await tryExec('iptables', ['-C', ...rule])) === undefined) await exec('iptables', ['-I', ...rule]);
  }
}

/** Plugs the node's cables in: one end on a bridge, the other in the network namespace of that process. eth0 comes last. */
export async function plugNode(node: NodePlan, pid: number): Promise<void> {
  const cables = [
    { link: node.lanLink, bridge: network.lanBridge, peer: ['name', 'eth1'] },
    { link: node.link, bridge: network.bridge, peer: ['name', 'eth0', 'address', node.mac] },
  ];
  for (const { link, bridge, peer } of cables) {
    await tryExec('ip', ['link', 'del', link]);
    await exec('ip', ['link', 'add', link, 'type', 'veth', 'peer', ...peer, 'netns', String(pid)]);
    await exec('ip', ['link', 'set', link, 'master', bridge, 'up']);
  }
}
