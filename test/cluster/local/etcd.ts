import { join } from 'node:path';
import { controlPlaneDir, logs } from '../paths.ts';
import { pkiFile } from './certs.ts';
import type { Service } from './s6.ts';

/** Not etcd's usual port: a Debian machine may run its packaged etcd there. */
export const etcdUrl = 'https://127.0.0.1:23790';
const peerUrl = 'https://127.0.0.1:23800';

export const etcdDir = join(controlPlaneDir, 'etcd');

export function etcdService(): Service {
  const tls = (prefix: string): string[] => [
    `--${prefix}cert-file=${pkiFile('etcd', 'crt')}`,
    `--${prefix}key-file=${pkiFile('etcd', 'key')}`,
    `--${prefix}trusted-ca-file=${pkiFile('ca', 'crt')}`,
  ];
  return {
    name: 'etcd',
    log: join(logs, 'etcd.log'),
    command: [
      'etcd',
      '--name=yagura-local',
      `--data-dir=${etcdDir}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=yagura-local=${peerUrl}`,
      '--client-cert-auth=true',
      '--peer-client-cert-auth=true',
      ...tls(''),
      ...tls('peer-'),
      '--auto-compaction-retention=1',
      '--quota-backend-bytes=4294967296',
      '--logger=zap',
    ],
  };
}
