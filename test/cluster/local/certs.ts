import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../exec.ts';
import { readText, writeIfChanged } from '../files.ts';
import { pki } from '../paths.ts';
import type { NodePlan } from './plan.ts';
import { network } from './plan.ts';

export interface CertificateRequest {
  readonly name: string;
  readonly ca: 'ca' | 'front-proxy-ca';
  readonly commonName: string;
  readonly organization?: string;
  readonly names?: readonly string[];
}

export const pkiFile = (name: string, kind: 'crt' | 'key'): string => join(pki, `${name}.${kind}`);

const san = (name: string): string => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`);

export const controlPlaneCertificates: readonly CertificateRequest[] = [
  {
    name: 'apiserver',
    ca: 'ca',
    commonName: 'kube-apiserver',
    names: [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      'localhost',
      network.apiService,
      network.hostIp,
      '127.0.0.1',
    ],
  },
  {
    name: 'apiserver-kubelet-client',
    ca: 'ca',
    commonName: 'kube-apiserver-kubelet-client',
    organization: 'system:masters',
  },
  { name: 'etcd', ca: 'ca', commonName: 'etcd', names: ['localhost', '127.0.0.1'] },
  { name: 'controller-manager', ca: 'ca', commonName: 'system:kube-controller-manager' },
  { name: 'scheduler', ca: 'ca', commonName: 'system:kube-scheduler' },
  { name: 'kube-proxy', ca: 'ca', commonName: 'system:kube-proxy' },
  { name: 'yagura-networks', ca: 'ca', commonName: 'yagura-networks' },
  { name: 'admin', ca: 'ca', commonName: 'yagura-admin', organization: 'system:masters' },
  { name: 'front-proxy-client', ca: 'front-proxy-ca', commonName: 'front-proxy-client' },
];

export const nodeCertificate = (node: NodePlan): CertificateRequest => ({
  name: node.name,
  ca: 'ca',
  commonName: `system:node:${node.name}`,
  organization: 'system:nodes',
  names: [node.name, node.ip],
});

/** One OpenSSL configuration holds all that a certificate says. */
export function renderRequest(request: CertificateRequest): string {
  const names = request.names ?? [];
  return [
    '[req]',
    'distinguished_name = dn',
    'prompt = no',
    '[dn]',
    ...(request.organization === undefined ? [] : [`O = ${request.organization}`]),
    `CN = ${request.commonName}`,
    '[ext]',
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature, keyEncipherment',
    'extendedKeyUsage = serverAuth, clientAuth',
    ...(names.length === 0 ? [] : [`subjectAltName = ${names.map(san).join(', ')}`]),
    '',
  ].join('\n');
}

async function makeKey(name: string): Promise<void> {
  await exec('openssl', [
    'genpkey',
    '-algorithm',
    'EC',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-out',
    pkiFile(name, 'key'),
  ]);
  await exec('chmod', ['600', pkiFile(name, 'key')]);
}

async function makeCa(name: string): Promise<void> {
  if ((await readText(pkiFile(name, 'crt'))) !== undefined) return;
  await makeKey(name);
  const partial = join(pki, `${name}.crt.new`);
  const usage = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
  await exec('openssl', [
    'req',
    '-x509',
    '-new',
    '-key',
    pkiFile(name, 'key'),
    '-subj',
    `/CN=yagura-${name}`,
    '-days',
    '3650',
    ...usage,
    '-out',
    partial,
  ]);
  await exec('mv', [partial, pkiFile(name, 'crt')]);
}

/** Makes the certificate unless it is there; the certificate is moved into place last, so one that is there is whole. */
export async function makeCertificate(request: CertificateRequest): Promise<void> {
  if ((await readText(pkiFile(request.name, 'crt'))) !== undefined) return;
  await makeKey(request.name);
  const config = join(pki, `${request.name}.cnf`);
  const partial = join(pki, `${request.name}.crt.new`);
  await writeIfChanged(config, renderRequest(request));
  await exec('openssl', [
    ...[
      'req',
      '-x509',
      '-new',
      '-config',
      config,
      '-extensions',
      'ext',
      '-days',
      '3650',
      '-key',
      pkiFile(request.name, 'key'),
    ],
    ...['-CA', pkiFile(request.ca, 'crt'), '-CAkey', pkiFile(request.ca, 'key'), '-out', partial],
  ]);
  await exec('mv', [partial, pkiFile(request.name, 'crt')]);
}

export async function makeCertificates(nodes: readonly NodePlan[]): Promise<void> {
  await mkdir(pki, { recursive: true, mode: 0o700 });
  await Promise.all([makeCa('ca'), makeCa('front-proxy-ca')]);
  if ((await readText(pkiFile('service-account', 'crt'))) === undefined) {
    await makeKey('service-account');
    // The "crt" of this pair is its bare public key.
    await exec('openssl', [
      'pkey',
      '-in',
      pkiFile('service-account', 'key'),
      '-pubout',
      '-out',
      pkiFile('service-account', 'crt'),
    ]);
  }
  await Promise.all([...controlPlaneCertificates, ...nodes.map(nodeCertificate)].map(makeCertificate));
}
