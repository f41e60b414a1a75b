import { join } from 'node:path';
import { controlPlaneDir, logs, nodeDir } from '../paths.ts';
import type { NodePlan } from './plan.ts';
import { network } from './plan.ts';
import type { Service } from './s6.ts';

export const proxyConfigPath = (node: NodePlan): string => join(nodeDir(node.name), 'kube-proxy.json');
export const proxyKubeconfigPath = join(controlPlaneDir, 'kube-proxy.kubeconfig');

export function renderProxy(node: NodePlan): string {
  return `${JSON.stringify(
    {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      // Not nftables: as of 1.34 an endpoint that goes and comes back within a second (an API server that restarts) stays an empty chain.
      mode: 'iptables',
      clientConnection: { kubeconfig: proxyKubeconfigPath },
      hostnameOverride: node.name,
      clusterCIDR: network.pods,
      detectLocalMode: 'ClusterCIDR',
      nodePortAddresses: ['primary'],
      // These are settings of the whole machine, which a network namespace may not write.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
      iptables: { minSyncPeriod: '200ms', syncPeriod: '30s' },
    },
    null,
    2,
  )}\n`;
}

export function proxyService(node: NodePlan, kubernetes: string): Service {
  return {
    name: 'kube-proxy',
    log: join(logs, `${node.name}-kube-proxy.log`),
    command: [kubernetes, 'kube-proxy', `--config=${proxyConfigPath(node)}`, '--v=1'],
  };
}
