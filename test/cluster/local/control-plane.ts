import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeIfChanged } from '../files.ts';
import { checkout, controlPlaneDir, logs } from '../paths.ts';
import { apiserverService, auditPolicy, auditPolicyPath } from './apiserver.ts';
import { pkiFile } from './certs.ts';
import { etcdDir, etcdService } from './etcd.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { ensureMemoryDir } from './memory-dir.ts';
import type { Service } from './s6.ts';
import { ensureSupervised } from './supervise.ts';

export const controlPlaneServices = join(controlPlaneDir, 'services');

const kubeconfigOf = (who: string): string => join(controlPlaneDir, `${who}.kubeconfig`);

function clientService(kubernetes: string, who: 'controller-manager' | 'scheduler', flags: readonly string[]): Service {
  const kubeconfig = kubeconfigOf(who);
  return {
    name: `kube-${who}`,
    log: join(logs, `kube-${who}.log`),
    command: [
      kubernetes,
      `kube-${who}`,
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (flag) => `--${flag}=${kubeconfig}`,
      ),
      '--bind-address=127.0.0.1',
      // There is only one of each: no need to wait for a lease that a killed one left.
      '--leader-elect=false',
      ...flags,
      '--v=1',
    ],
  };
}

export function renderControlPlane(kubernetes: string): Service[] {
  return [
    etcdService(),
    apiserverService(kubernetes),
    clientService(kubernetes, 'controller-manager', [
      `--service-account-private-key-file=${pkiFile('service-account', 'key')}`,
      `--root-ca-file=${pkiFile('ca', 'crt')}`,
      `--cluster-signing-cert-file=${pkiFile('ca', 'crt')}`,
      `--cluster-signing-key-file=${pkiFile('ca', 'key')}`,
      '--use-service-account-credentials=true',
      '--concurrent-service-endpoint-syncs=5',
    ]),
    clientService(kubernetes, 'scheduler', []),
    {
      name: 'storage',
      log: join(logs, 'storage.log'),
      command: [
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        join(checkout, 'test/cluster/storage/provisioner.ts'),
      ],
    },
  ];
}

/** Starts what is not running and restarts what runs by another configuration. Answers what it had to do. */
export async function ensureControlPlane(kubernetes: string): Promise<string[]> {
  await mkdir(logs, { recursive: true });
  await mkdir(controlPlaneDir, { recursive: true, mode: 0o700 });
  await ensureMemoryDir(etcdDir);
  await writeIfChanged(auditPolicyPath, JSON.stringify(auditPolicy));
  await writeKubeconfig(kubeconfigOf('controller-manager'), 'controller-manager');
  await writeKubeconfig(kubeconfigOf('scheduler'), 'scheduler');
  return ensureSupervised('control-plane', controlPlaneServices, renderControlPlane(kubernetes));
}
