import { join } from 'node:path';
import { controlPlaneDir, logs } from '../paths.ts';
import { pkiFile } from './certs.ts';
import { etcdUrl } from './etcd.ts';
import { network } from './plan.ts';
import type { Service } from './s6.ts';

export const auditPolicyPath = join(controlPlaneDir, 'audit-policy.json');

/** Writes only, without bodies: enough to count who wrote what. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', resources: [{ group: 'coordination.k8s.io' }] },
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

export function apiserverService(kubernetes: string): Service {
  return {
    name: 'kube-apiserver',
    log: join(logs, 'kube-apiserver.log'),
    command: [
      kubernetes,
      'kube-apiserver',
      `--etcd-servers=${etcdUrl}`,
      `--etcd-cafile=${pkiFile('ca', 'crt')}`,
      `--etcd-certfile=${pkiFile('etcd', 'crt')}`,
      `--etcd-keyfile=${pkiFile('etcd', 'key')}`,
      `--bind-address=${network.hostIp}`,
      `--advertise-address=${network.hostIp}`,
      `--secure-port=${network.apiPort}`,
      `--tls-cert-file=${pkiFile('apiserver', 'crt')}`,
      `--tls-private-key-file=${pkiFile('apiserver', 'key')}`,
      `--client-ca-file=${pkiFile('ca', 'crt')}`,
      `--kubelet-certificate-authority=${pkiFile('ca', 'crt')}`,
      `--kubelet-client-certificate=${pkiFile('apiserver-kubelet-client', 'crt')}`,
      `--kubelet-client-key=${pkiFile('apiserver-kubelet-client', 'key')}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${pkiFile('service-account', 'crt')}`,
      `--service-account-signing-key-file=${pkiFile('service-account', 'key')}`,
      `--service-cluster-ip-range=${network.services}`,
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--allow-privileged=true',
      `--requestheader-client-ca-file=${pkiFile('front-proxy-ca', 'crt')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--proxy-client-cert-file=${pkiFile('front-proxy-client', 'crt')}`,
      `--proxy-client-key-file=${pkiFile('front-proxy-client', 'key')}`,
      // The host has no kube-proxy: aggregated APIs and webhooks are reached at their pods' addresses.
      '--enable-aggregator-routing=true',
      `--audit-policy-file=${auditPolicyPath}`,
      `--audit-log-path=${join(logs, 'audit.log')}`,
      '--audit-log-maxsize=200',
      '--audit-log-maxbackup=1',
      '--v=1',
    ],
  };
}
