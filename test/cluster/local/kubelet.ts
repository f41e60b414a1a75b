import { join } from 'node:path';
import { logs, nodeDir } from '../paths.ts';
import { pkiFile } from './certs.ts';
import type { NodePlan, Resources } from './plan.ts';
import { network, reservedFor } from './plan.ts';
import { resolvConfPath } from './resolv-conf.ts';
import type { Service } from './s6.ts';

export const kubeletConfigPath = (node: NodePlan): string => join(nodeDir(node.name), 'kubelet.json');
export const kubeletKubeconfigPath = (node: NodePlan): string => join(nodeDir(node.name), 'kubelet.kubeconfig');
export const containerdReady = 'ctr --timeout 2s version';

export function renderKubelet(node: NodePlan, machine: Resources, nodes: number, index: number): string {
  const reserved = reservedFor(machine, nodes, index);
  return `${JSON.stringify(
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: pkiFile('ca', 'crt') },
      },
      authorization: { mode: 'Webhook' },
      tlsCertFile: pkiFile(node.name, 'crt'),
      tlsPrivateKeyFile: pkiFile(node.name, 'key'),
      address: node.ip,
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      cgroupDriver: 'cgroupfs',
      // Inside the node's cgroup namespace this is the node's own cgroup.
      cgroupRoot: '/',
      failCgroupV1: false,
      failSwapOn: false,
      clusterDomain: 'cluster.local',
      clusterDNS: [network.dnsService],
      resolvConf: resolvConfPath,
      volumePluginDir: '/var/lib/kubelet/volume-plugins',
      systemReserved: { cpu: `${reserved.milliCpu}m`, memory: `${reserved.memoryKi}Ki` },
      enforceNodeAllocatable: ['pods'],
      // Imported images cannot be pulled again: never collect them, and do not evict because the machine's disk is full of other things.
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
      evictionHard: {
        'memory.available': '0%',
        'nodefs.available': '1%',
        'imagefs.available': '1%',
        'nodefs.inodesFree': '1%',
        'imagefs.inodesFree': '1%',
      },
      serializeImagePulls: false,
      rotateCertificates: false,
    },
    null,
    2,
  )}\n`;
}

export function kubeletService(node: NodePlan, kubernetes: string): Service {
  return {
    name: 'kubelet',
    log: join(logs, `${node.name}-kubelet.log`),
    waitFor: `${containerdReady} >/dev/null 2>&1`,
    command: [
      kubernetes,
      'kubelet',
      `--config=${kubeletConfigPath(node)}`,
      `--kubeconfig=${kubeletKubeconfigPath(node)}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.ip}`,
      '--v=1',
    ],
  };
}
