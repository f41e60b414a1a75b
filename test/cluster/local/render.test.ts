import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nodeCertificate, renderRequest } from './certs.ts';
import type { CgroupMount } from './cgroup-mounts.ts';
import { parseCgroupMounts } from './cgroup-mounts.ts';
import { renderCni } from './cni.ts';
import { renderProxy } from './kube-proxy.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { renderKubelet } from './kubelet.ts';
import { renderEnter, renderInit } from './node-init.ts';
import type { NodePlan } from './plan.ts';
import { planNodes } from './plan.ts';
import { renderRun } from './s6.ts';

const nodes = planNodes(2);
const nodeB = nodes[1] as NodePlan;
const v2 = parseCgroupMounts('30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate');
const v1: CgroupMount[] = [
  { path: '/sys/fs/cgroup/memory', type: 'cgroup', options: 'memory' },
  { path: '/sys/fs/cgroup/cpuset', type: 'cgroup', options: 'cpuset' },
];

test.each([
  ['init-v1.sh', renderInit(nodeB, nodes, v1)],
  ['init-v2.sh', renderInit(nodeB, nodes, v2)],
  ['enter-v1.sh', renderEnter(nodeB, v1)],
  ['enter-v2.sh', renderEnter(nodeB, v2)],
  ['cni.json.golden', renderCni(nodeB)],
  ['kubelet.json.golden', renderKubelet(nodeB, { milliCpu: 2000, memoryKi: 24_684_084 }, 2, 1)],
  ['kube-proxy.json.golden', renderProxy(nodeB)],
  ['node-certificate.cnf', renderRequest(nodeCertificate(nodeB))],
])('%s is as in the golden file', (name, text) => {
  const file = join(import.meta.dirname, 'goldens', name);
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});

test('a run file waits, logs, quotes what the shell would read, and becomes its command', () => {
  const service = { name: 'x', command: ['echo', "it's", 'a=b', '--flag=/x y'], waitFor: 'true', log: '/logs/x.log' };
  expect(renderRun(service)).toBe(
    "#!/bin/sh\nexec >>/logs/x.log 2>&1 </dev/null\nuntil true; do sleep 0.1; done\nexec echo \\\n  'it'\\''s' \\\n  a=b \\\n  '--flag=/x y'\n",
  );
});

test('a kubeconfig holds all it needs', () => {
  const text = renderKubeconfig({ server: 'https://h:1', user: 'u', ca: 'CA', certificate: 'CRT', key: 'KEY' });
  const { clusters, users } = parse(text) as { clusters: { cluster: object }[]; users: { user: object }[] };
  expect(clusters[0]?.cluster).toEqual({ server: 'https://h:1', 'certificate-authority-data': 'Q0E=' });
  expect(users[0]?.user).toEqual({ 'client-certificate-data': 'Q1JU', 'client-key-data': 'S0VZ' });
});
